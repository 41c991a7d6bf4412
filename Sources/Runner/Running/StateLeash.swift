import Lua
import Scripting
import Synchronization

/// Stops a state from outside when a call into it does not end by itself.
///
/// The state is judged by what it computed itself: many share a thread under load, where one that does
/// nothing wrong may wait long for its turn.
final class StateLeash: Sendable {
  private struct State {
    var handle: ScriptStopHandle?
    /// Counts the calls, so that a late alarm cannot strike another one.
    var call = 0
    var isHeld = false
  }

  /// What a state that was told to stop may still take before nothing can be done about it.
  private static let mercy = Duration.seconds(2)
  /// What it may compute once its time is over, before it is stopped within Lua.
  private static let grace = Duration.seconds(1)
  /// How long either may take when the thread is busy with other states.
  private static let patience = Duration.seconds(30)

  private let state: Mutex<State>
  private let ownTime: OwnTime
  private let stuck: @Sendable () -> Void

  /// - Parameter stuck: Is called when a state cannot be stopped: it is inside a function of C, a finalizer or
  ///   a hook, which Lua itself cannot leave.
  init(_ interpreter: Interpreter, stuck: @escaping @Sendable () -> Void) {
    ownTime = OwnTime()
    interpreter.ownTime = ownTime
    state = Mutex(State(handle: interpreter.stopHandle))
    self.stuck = stuck
  }

  /// Awaits a call, which is stopped when it computes on after the limit.
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

  /// Stops the call at hand, if there is one, when it does not end soon.
  func interrupt() {
    let call = state.withLock { $0.isHeld ? $0.call : nil }
    if let call { _ = stop(call, after: .zero) }
  }

  /// The state is going to be closed.
  func release() { state.withLock { $0.handle = nil } }

  private func stop(_ call: Int, after time: Duration) -> Task<Void, Never> {
    Task.detached { [self] in
      guard (try? await Task.sleep(for: time)) != nil, await computes(call, for: Self.grace) else {
        return
      }
      state.withLock { state in
        if state.isHeld, state.call == call { state.handle?.request(.time) }
      }
      if await computes(call, for: Self.mercy) { stuck() }
    }
  }

  /// Whether a call goes on until the state has computed for a time, or waited very long.
  private func computes(_ call: Int, for time: Duration) async -> Bool {
    let before = ownTime.elapsed
    let last = ContinuousClock.now + Self.patience
    var left = time
    while left > .zero, .now < last {
      guard (try? await Task.sleep(for: max(left, .milliseconds(10)))) != nil, isAtHand(call)
      else { return false }
      left = time - (ownTime.elapsed - before)
    }
    return isAtHand(call)
  }

  private func isAtHand(_ call: Int) -> Bool { state.withLock { $0.isHeld && $0.call == call } }
}
