@testable import System
@testable import HTTP
@testable import Host
import Testing

/// A server of made-up pages by path, for tests with a browser.
struct WebPages {
  /// What each path shows; `-> ADDRESS` redirects there.
  var pages: [String: String]
  var runner = ScriptRunner(timeout: .seconds(60))

  /// Runs `Programs/NAME.lua`, which must end well.
  ///
  /// The program finds the address of the pages in `given.base`, beside `values`.
  @discardableResult
  func run(
    program name: String, given values: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [HTTPRequest] {
    let pages = pages
    var seen: [HTTPRequest] = []
    try await CannedServer.run({ Self.answer($0, pages) }) { server in
      var given = JSONObject(values.map { ($0.key, JSON.string($0.value)) })
      given["base"] = .string(server.origin)
      try await Flow(runner: runner).run(
        program: name, given: .object(given), sourceLocation: sourceLocation)
      seen = server.received
    }
    return seen
  }

  private static func answer(
    _ request: HTTPRequest, _ pages: [String: String]
  ) -> ServerResponse {
    guard let page = pages[request.url.path] else {
      return html("<title>Nothing here</title>", status: 404)
    }
    guard page.hasPrefix("-> ") else { return html(page) }
    var response = ServerResponse(status: 302)
    response.headers.set("Location", String(page.dropFirst(3)))
    return response
  }

  private static func html(_ text: String, status: Int = 200) -> ServerResponse {
    var response = ServerResponse(status: status, body: Array("<!doctype html>\(text)".utf8))
    response.headers.set("Content-Type", "text/html; charset=utf-8")
    return response
  }
}
