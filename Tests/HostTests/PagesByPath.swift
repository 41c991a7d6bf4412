@testable import System
@testable import HTTP
@testable import Host
import Testing

/// A provider of given pages; what is posted comes back signed in, unless it says no.
struct PagesByPath {
  private static let back = "http://127.0.0.1/callback"

  let pages: [String: String]

  /// Runs `Programs/NAME.lua`, which must end well, and gives what the provider received.
  func run(
    program name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [HTTPRequest] {
    try await run(Flow.text(ofProgram: name, given: [:]), sourceLocation: sourceLocation)
  }

  /// Runs a script that must end well, and gives what the provider received.
  ///
  /// `open(path, delegate, answers)` shows a page to a delegate of `luath.ui`.
  func run(
    _ script: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [HTTPRequest] {
    var seen: [HTTPRequest] = []
    let pages = pages
    let answer: @Sendable (HTTPRequest) -> ServerResponse = { request in
      guard request.method == "GET", let page = pages[request.url.path] else {
        let answer = request.form["d"] == "no" ? "error=access_denied" : "code=good"
        return ServerResponse(status: 302, headers: ["Location": "\(Self.back)?\(answer)"])
      }
      return ServerResponse(
        headers: ["Content-Type": "text/html; charset=utf-8"],
        body: Array("<!DOCTYPE html><title>Corp</title><h1>Corp wants to know you</h1>\(page)".utf8)
      )
    }
    try await CannedServer.run(answer) { server in
      var flow = Flow(runner: ScriptRunner(timeout: .seconds(60)))
      flow.runner.environment["PAGES"] = server.origin
      try await flow.run(
        """
        local function open(path, delegate, more) local all = { username = "ada@idp.example", \
          password = "correct horse" } for name, value in pairs(more or {}) do all[name] = value end \
          return ui.show(ui[delegate](all), host.env "PAGES" .. path, "\(Self.back)") end\u{20}
        """ + script, sourceLocation: sourceLocation)
      seen = server.received
    }
    return seen
  }
}
