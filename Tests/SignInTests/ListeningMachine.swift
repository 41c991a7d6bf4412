@testable import Client
@testable import HTTP
@testable import IdentityToolkit

@testable import SignIn

/// A machine with a listener and a browser that can be sent anywhere, on one loop.
final class ListeningMachine {
  let listener: LoopbackListener
  let loop: EventLoop
  private let client: HTTPClient
  private let actor: LoopActor

  private init(_ address: String?, _ actor: LoopActor) throws {
    self.actor = actor
    loop = actor.loop
    listener = try LoopbackListener(redirectURI: address.flatMap { WebURL($0) }, loop: actor.loop)
    client = HTTPClient(loop: actor.loop)
  }

  /// Makes a machine for a test; afterwards its ports are closed.
  static func run(
    _ address: String? = nil, _ body: @Sendable (ListeningMachine) async throws -> Void
  ) async throws {
    let loop = try EventLoop(name: "machine")
    try loop.start()
    defer {
      loop.stop()
      loop.join()
    }
    try await LoopActor(loop).run { actor in
      let machine = try ListeningMachine(address, actor)
      defer { machine.listener.stop() }
      try await body(machine)
    }
  }

  func get(_ url: WebURL) async throws -> HTTPResponse {
    try await client.send(HTTPRequest(url: url))
  }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await client.send(request) }

  /// Waits for the answer in a task of its own, and gives the code it fails with.
  func wait() -> Task<ErrorCode?, Never> {
    let box = Box(listener)
    let loop = loop
    return actor.assumeIsolated { actor in
      Task(executorPreference: loop) {
        _ = actor
        do throws(AuthError) {
          _ = try await box.listener.answer()
          return nil
        } catch {
          return error.code
        }
      }
    }
  }

  /// Unchecked, because the task runs on the listener's own loop.
  private struct Box: @unchecked Sendable {
    let listener: LoopbackListener
    init(_ listener: LoopbackListener) { self.listener = listener }
  }
}
