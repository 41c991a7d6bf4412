@testable import SignIn
@testable import HTTP
import Synchronization

/// A terminal whose person is the script itself: what it posts to `origin` is typed, a DELETE ends
/// the input, and a GET gives what the person has been shown.
final class Keyboard: Sendable {
  private struct State {
    var lines: [String] = []
    var hasEnded = false
    var shown = ""
    var reader: CheckedContinuation<String?, Never>?
    /// How many reads have not ended.
    var reading = 0
  }

  let origin: String
  private let loop: EventLoop
  private let state: Shared

  private final class Shared: Sendable {
    let value = Mutex(State())
  }

  init() async throws {
    let loop = try EventLoop(name: "keyboard")
    try loop.start()
    let state = Shared()
    let port = try await LoopActor(loop).run { actor in
      try HTTPServer(loop: actor.loop) { .now(Self.answer($0, state)) }.port
    }
    self.loop = loop
    self.state = state
    origin = "http://127.0.0.1:\(port)"
  }

  func stop() {
    loop.stop()
    loop.join()
  }

  /// Whether somebody still waits for a line.
  var isRead: Bool { state.value.withLock { $0.reading > 0 } }

  func terminal(isInteractive: Bool = false, columns: Int? = nil) -> SignInTerminal {
    let state = state
    return SignInTerminal(
      isInteractive: isInteractive, columns: columns,
      write: { text in state.value.withLock { $0.shown += text } },
      readLine: { await Self.line(state) })
  }

  private static func answer(_ request: HTTPRequest, _ state: Shared) -> ServerResponse {
    switch request.method {
    case "POST": type(String(decoding: request.body, as: UTF8.self), state)
    case "DELETE": type(nil, state)
    default: break
    }
    return ServerResponse(text: state.value.withLock { $0.shown })
  }

  private static func type(_ line: String?, _ state: Shared) {
    let reader = state.value.withLock { state in
      guard let reader = state.reader.take() else {
        if let line { state.lines.append(line) } else { state.hasEnded = true }
        return nil as CheckedContinuation<String?, Never>?
      }
      return reader
    }
    reader?.resume(returning: line)
  }

  private static func line(_ state: Shared) async -> String? {
    state.value.withLock { $0.reading += 1 }
    let line = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let known: String?? = state.value.withLock { state in
          if !state.lines.isEmpty { return .some(state.lines.removeFirst()) }
          if state.hasEnded || Task.isCancelled { return .some(nil) }
          state.reader = continuation
          return nil
        }
        if let known { continuation.resume(returning: known) }
      }
    } onCancel: {
      state.value.withLock { $0.reader.take() }?.resume(returning: nil)
    }
    state.value.withLock { $0.reading -= 1 }
    return line
  }
}
