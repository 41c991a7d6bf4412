import HTTP
import Synchronization

/// A barrier where the workers of a run wait for the last of them.
final class Barrier: Sendable {
  private struct State {
    var missing: Int
    var waiting: [UnsafeContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(workers: Int) { state = Mutex(State(missing: workers)) }

  /// Returns when all workers have arrived.
  ///
  /// Call it once per worker.
  func arrive() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let released = state.withLock { state in
        state.missing -= 1
        state.waiting.append(continuation)
        guard state.missing <= 0 else { return [UnsafeContinuation<Void, Never>]() }
        defer { state.waiting = [] }
        return state.waiting
      }
      for one in released { one.resume() }
    }
  }
}
