@testable import System
@testable import HTTP
import Testing

/// What a person with a browser does at an emulated provider: cookies, redirects, forms.
final class Browser {
  private let emulator: Fixture
  private var cookies: [String: String] = [:]

  init(_ emulator: Fixture) {
    self.emulator = emulator
  }

  /// Signs in at the pages behind `address`, consents, and returns where the app is called back.
  func signIn(
    at address: String, as email: String, password: String, consents: Bool = true
  ) async throws -> String {
    var request = HTTPRequest(url: try #require(WebURL(address)))
    for _ in 0..<20 {
      request.headers.set("Cookie", cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
      let response = try await emulator.exchange(request)
      for cookie in response.headers.all("Set-Cookie") { remember(cookie) }
      if let location = response.headers["Location"] {
        let next = try #require(response.url.resolving(location))
        guard next.origin == emulator.origin else { return next.description }
        request = HTTPRequest(url: next)
        continue
      }
      try #require(response.status == 200, "\(response.text)")
      let action = try #require(attribute("action", after: "<form", in: response.text))
      let csrf = try #require(attribute("value", after: "name=\"csrf\"", in: response.text))
      var form = FormFields([("csrf", csrf)])
      if response.text.contains("name=\"decision\"") {
        form.append("decision", consents ? "accept" : "deny")
      } else {
        for name in ["email", "loginfmt"] { form.append(name, email) }
        for name in ["password", "passwd"] { form.append(name, password) }
      }
      request = .post(try #require(response.url.resolving(action)), form: form)
    }
    throw Lost()
  }

  struct Lost: Error {}

  private func remember(_ cookie: String) {
    let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
    if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
  }

  private func attribute(_ name: String, after mark: String, in page: String) -> String? {
    guard let start = page.range(of: mark) else { return nil }
    let rest = page[start.upperBound...]
    guard let opening = rest.range(of: "\(name)=\"") else { return nil }
    let value = rest[opening.upperBound...].prefix { $0 != "\"" }
    return String(value.replacing("&amp;", with: "&"))
  }
}

extension StringProtocol {
  fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
