@testable import HTTP
import Testing

/// An HTTP server on a free port of this machine.
enum TestServer {
  /// Passes the server's address to `body`, and stops it afterwards.
  static func run(
    _ answer: @escaping @Sendable (HTTPRequest) -> Answer, _ body: (WebURL) async throws -> Void
  ) async throws {
    let loop = try EventLoop(name: "server")
    try loop.start()
    let port = try await LoopActor(loop).run { _ in
      try HTTPServer(loop: loop, handler: answer).port
    }
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(try #require(WebURL("http://127.0.0.1:\(port)/pace"))))
    } catch {
      result = .failure(error)
    }
    loop.stop()
    loop.join()
    try result.get()
  }
}
