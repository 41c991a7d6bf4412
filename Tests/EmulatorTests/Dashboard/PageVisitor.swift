@testable import System
@testable import HTTP
import Testing

/// A person with a browser without scripts, at the emulator's own page.
final class PageVisitor {
  let emulator: Fixture
  private var cookie: String?

  static let project = "/emulator/ui/projects/demo-luath"

  init(_ emulator: Fixture) {
    self.emulator = emulator
  }

  func get(_ path: String, headers: HTTPHeaders = [:]) async throws -> HTTPResponse {
    var request = HTTPRequest(
      url: try #require(WebURL(emulator.origin + path)), headers: headers)
    return try await send(&request)
  }

  /// Loads a page that must be there.
  func page(_ path: String) async throws -> String {
    let response = try await get(path)
    try #require(response.status == 200, "\(path): \(response.status)")
    return response.text
  }

  /// Sends a form of the page at `path` with what every form of it carries.
  func submit(_ path: String, _ fields: [(String, String)]) async throws -> HTTPResponse {
    let text = try await page(path)
    let code = try #require(value(after: "name=\"csrf\" value=\"", in: text))
    return try await post(path, fields + [("csrf", code)])
  }

  func post(
    _ path: String, _ fields: [(String, String)], headers: HTTPHeaders = [:]
  ) async throws -> HTTPResponse {
    let url = try #require(WebURL(emulator.origin + path))
    var request = HTTPRequest.post(url, form: FormFields(fields), headers: headers)
    return try await send(&request)
  }

  /// Submits, and follows to the page that shows what became of it.
  func change(_ path: String, _ fields: [(String, String)]) async throws -> String {
    let response = try await submit(path, fields)
    try #require(response.status == 303, "\(response.text)")
    return try await page(try #require(response.headers["Location"]))
  }

  private func send(_ request: inout HTTPRequest) async throws -> HTTPResponse {
    if request.headers["Accept"] == nil {
      request.headers.set("Accept", "text/html,application/xhtml+xml")
    }
    if let cookie { request.headers.set("Cookie", cookie) }
    let response = try await emulator.exchange(request)
    if let set = response.headers["Set-Cookie"] { cookie = String(set.prefix { $0 != ";" }) }
    return response
  }

  /// What stands between `mark` and the next quotation mark.
  func value(after mark: String, in text: String) -> String? {
    guard let start = text.ranges(of: mark).first?.upperBound else { return nil }
    return String(text[start...].prefix { $0 != "\"" }).replacing("&amp;", with: "&")
  }

  static func user(_ uid: JSON?) -> String {
    "\(project)/user?uid=\(PercentEncoding.encode(uid?.string ?? ""))"
  }
}
