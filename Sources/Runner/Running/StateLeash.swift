import Lua
import Scripting
import Synchronization

/// Stops a state from outside when a call into it does not end by itself.
final class StateLeash: Sendable {
  private struct State {
    var handle: ScriptStopHandle?
    /// Counts the calls, so that a late alarm cannot strike another one.
    var call = 0
    var isHeld = false
  }

  /// What a state that was told to stop may still take before nothing can be done about it.
  private static let patience = Duration.seconds(2)

  private let state: Mutex<State>
  private let stuck: @Sendable () -> Void

  /// - Parameter stuck: Is called when a state cannot be stopped: it is inside a function of C, a finalizer or
  ///   a hook, which Lua itself cannot leave.
  init(_ handle: ScriptStopHandle, stuck: @escaping @Sendable () -> Void) {
    state = Mutex(State(handle: handle))
    self.stuck = stuck
  }

  /// Awaits a call, which is stopped when it takes longer than the limit.
  func hold<Value>(
    _ limit: Duration, _ body: () async -> Value
  ) async -> Value {
    let call = state.withLock { state in
      state.call += 1
      state.isHeld = true
      return state.call
    }
    let guardian = stop(call, after: limit)
    let value = await body()
    guardian.cancel()
    state.withLock { $0.isHeld = false }
    return value
  }

  /// Stops the call at hand, if there is one, when it does not end within a time.
  func interrupt(after grace: Duration) {
    let call = state.withLock { $0.isHeld ? $0.call : nil }
    if let call { _ = stop(call, after: grace) }
  }

  /// The state is going to be closed.
  func release() { state.withLock { $0.handle = nil } }

  private func stop(_ call: Int, after time: Duration) -> Task<Void, Never> {
    Task.detached { [self] in
      guard (try? await Task.sleep(for: time)) != nil else { return }
      state.withLock { state in
        if state.isHeld, state.call == call { state.handle?.request(.time) }
      }
      guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
      if state.withLock({ $0.isHeld && $0.call == call }) { stuck() }
    }
  }
}
