@testable import System
@testable import HTTP
import Testing

@testable import Emulator

/// A browser in the hand: one request at a time over HTTP, with cookies kept, nothing followed.
actor ProviderVisitor {
  nonisolated let loop: EventLoop
  let emulator: Emulator
  private var client: HTTPClient?
  private var cookies: [String: String] = [:]
  private(set) var origin = ""
  nonisolated let clock: EmulatorClock

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ project: ProjectConfiguration = .demo) async throws {
    loop = try EventLoop(name: "visitor")
    try loop.start()
    clock = EmulatorClock(frozenAt: 1_800_000_000)
    emulator = try Emulator(project: project, clock: clock)
    let port = try await emulator.start()
    listen(at: "http://127.0.0.1:\(port)")
  }

  private func listen(at origin: String) {
    self.origin = origin
    client = HTTPClient(loop: loop)
  }

  func end() async {
    await emulator.stop()
    loop.stop()
  }

  var redirect: String { "\(origin)/__/auth/handler" }

  @discardableResult
  func send(
    _ address: String, form: FormFields? = nil, headers: HTTPHeaders = [:],
    withCookies: Bool = true
  ) async throws -> HTTPResponse {
    let text = address.hasPrefix("/") ? origin + address : address
    let url = try #require(WebURL(text))
    var request = form.map { HTTPRequest.post(url, form: $0) } ?? HTTPRequest(url: url)
    for field in headers.fields { request.headers.set(field.name, field.value) }
    let going = cookies.filter { withCookies && url.path.hasPrefix($0.key) }
    if !going.isEmpty { request.headers.set("Cookie", going.values.joined(separator: "; ")) }
    let response = try await #require(client).send(request)
    for cookie in response.headers.all("Set-Cookie") {
      let parts = cookie.split(separator: ";")
      let path = parts.first { $0.hasPrefix(" Path=") }?.dropFirst(6) ?? "/"
      cookies[String(path)] = String(parts[0])
    }
    return response
  }

  func forgetCookies() { cookies = [:] }

  /// Opens an authorization request of `oidc.corp`; nil leaves a parameter out.
  func authorize(
    _ changes: [String: String?] = [:], path: String = "/oidc/corp/authorize",
    client: String = "luath-client-oidc.corp"
  ) async throws -> HTTPResponse {
    var fields: [String: String] = [
      "client_id": client, "redirect_uri": redirect, "response_type": "code",
      "scope": "openid profile email", "state": "s", "nonce": "n",
    ]
    for (name, value) in changes { fields[name] = value }
    let query = FormFields(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    return try await send("\(path)?\(query.encoded)")
  }

  /// The hidden token of a page's form.
  static func formToken(_ page: HTTPResponse) -> String {
    guard let start = page.text.range(of: "name=\"csrf\" value=\"") else { return "" }
    return String(page.text[start.upperBound...].prefix { $0 != "\"" })
  }

  /// Signs Barbara in at `oidc.corp` by hand and returns the address she is sent to.
  func signIn(_ changes: [String: String?] = [:]) async throws -> WebURL {
    let start = try await authorize(changes)
    let pages = try #require(start.headers["Location"])
    var page = try await send(pages)
    if page.text.contains("name=\"password\"") {
      try await send(
        pages,
        form: FormFields([
          ("csrf", Self.formToken(page)), ("email", "barbara@corp.example"),
          ("password", ProjectConfiguration.demoPassword),
        ]))
      page = try await send(pages)
    }
    let end = try await send(
      pages, form: FormFields([("csrf", Self.formToken(page)), ("decision", "accept")]))
    #expect(end.status == 303)
    return try #require(end.headers["Location"].flatMap { WebURL($0) })
  }

  func code(_ changes: [String: String?] = [:]) async throws -> String {
    try #require(try await signIn(changes).fields["code"])
  }

  func token(_ changes: [String: String?], headers: HTTPHeaders = [:]) async throws -> HTTPResponse
  {
    var fields: [String: String] = [
      "grant_type": "authorization_code", "redirect_uri": redirect,
      "client_id": "luath-client-oidc.corp", "client_secret": "luath-secret-oidc.corp",
    ]
    for (name, value) in changes { fields[name] = value }
    return try await send(
      "/oidc/corp/token",
      form: FormFields(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
      headers: headers)
  }
}

extension String {
  /// The first place of `part`, without Foundation.
  fileprivate func range(of part: String) -> Range<String.Index>? { ranges(of: part).first }
}
