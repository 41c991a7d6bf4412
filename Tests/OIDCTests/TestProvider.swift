@testable import HTTP
import Synchronization

/// Keeps the requests a server received.
final class RequestLog: Sendable {
  private let requests = Mutex<[HTTPRequest]>([])

  var all: [HTTPRequest] { requests.withLock { $0 } }

  func add(_ request: HTTPRequest) { requests.withLock { $0.append(request) } }
}

/// Runs a test against a real server on a free port, from the thread of the loop both live on.
///
/// `answer` sees each request together with the server's origin.
func withProvider<Value: Sendable>(
  answer: @escaping @Sendable (HTTPRequest, _ origin: String) -> ServerResponse,
  _ body:
    @escaping @Sendable (
      isolated LoopActor, HTTPClient, _ origin: String, RequestLog
    ) async throws -> Value
) async throws -> Value {
  let loop = try EventLoop(name: "provider")
  try loop.start()
  let log = RequestLog()
  let result: Result<Value, any Error>
  do {
    let value = try await LoopActor(loop).run { (actor: isolated LoopActor) async throws -> Value in
      let server = try HTTPServer(loop: loop) { request in
        log.add(request)
        return .now(answer(request, request.url.origin))
      }
      defer { server.stop() }
      return try await body(
        actor, HTTPClient(loop: loop), "http://127.0.0.1:\(server.port)", log)
    }
    result = .success(value)
  } catch {
    result = .failure(error)
  }
  loop.stop()
  loop.join()
  return try result.get()
}

/// The error an operation fails with, or nil.
func failure<Failure: Error>(
  _ body: () async throws(Failure) -> Void
) async -> Failure? {
  do throws(Failure) {
    try await body()
    return nil
  } catch {
    return error
  }
}
