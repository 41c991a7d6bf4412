@testable import HTTP
import Synchronization

/// A server of a test: answers by a function, and keeps what it was sent.
final class CannedServer: Sendable {
  let origin: String
  private let loop: EventLoop
  private let requests: Requests

  private final class Requests: Sendable {
    let list = Mutex<[HTTPRequest]>([])
  }

  private init(_ answer: @escaping @Sendable (HTTPRequest) -> ServerResponse) async throws {
    let loop = try EventLoop(name: "canned")
    let requests = Requests()
    try loop.start()
    let port = try await LoopActor(loop).run { _ in
      let server = try HTTPServer(loop: loop) { request in
        requests.list.withLock { $0.append(request) }
        return .now(answer(request))
      }
      // It listens until the loop ends.
      return UInt16(server.port)
    }
    self.loop = loop
    self.requests = requests
    origin = "http://127.0.0.1:\(port)"
  }

  /// What it was sent, in order.
  var received: [HTTPRequest] { requests.list.withLock { $0 } }

  /// Runs `body` with a server that answers so.
  static func run(
    _ answer: @escaping @Sendable (HTTPRequest) -> ServerResponse,
    _ body: (CannedServer) async throws -> Void
  ) async throws {
    let server = try await CannedServer(answer)
    do {
      try await body(server)
    } catch {
      server.stop()
      throw error
    }
    server.stop()
  }

  private func stop() {
    loop.stop()
    loop.join()
  }
}
