import Lua
import Host
import Synchronization

/// A watchdog that stops a Lua state from outside when a call does not end by itself.
///
/// Limits are measured in the CPU time of the state: under load, many states share a thread, and a
/// correct one may wait long for its turn.
final class StateWatchdog: Sendable {
  private struct State {
    var handle: ScriptStopHandle?
    /// Identifies the current call, so that a late timer cannot stop a later call.
    var call = 0
    /// The deadline of the current call; nil when there is none.
    var deadline: ContinuousClock.Instant?
    var guardian: Task<Void, Never>?
    /// When the guardian checks next.
    var wakes = ContinuousClock.now
  }

  /// CPU time that a state may use after a request to stop, before we report it as stuck.
  private static let mercy = Duration.seconds(2)
  /// CPU time that a call may use after its deadline, before the state is stopped within Lua.
  private static let grace = Duration.seconds(1)
  /// The maximum wall-clock time for either, when the thread is busy with other states.
  private static let patience = Duration.seconds(30)

  private let state: Mutex<State>
  private let ownTime: CPUClock
  private let stuck: @Sendable () -> Void

  /// - Parameter stuck: Called when a state cannot be stopped, because it is inside a C function, a
  ///   finalizer or a hook, which Lua cannot interrupt.
  init(_ interpreter: Interpreter, stuck: @escaping @Sendable () -> Void) {
    ownTime = CPUClock()
    interpreter.ownTime = ownTime
    state = Mutex(State(handle: interpreter.stopHandle))
    self.stuck = stuck
  }

  /// Runs a call, and stops the state if the call computes past the limit.
  func hold<Value>(
    _ limit: Duration, _ body: () async -> Value
  ) async -> Value {
    state.withLock { state in
      let deadline = ContinuousClock.now + limit
      state.call += 1
      state.deadline = deadline
      // A guardian that checks earlier reschedules itself: a timer per call would cost more than most calls.
      if state.guardian == nil || state.wakes > deadline { watch(&state, from: deadline) }
    }
    let value = await body()
    state.withLock { $0.deadline = nil }
    return value
  }

  /// Sets the deadline of the current call to now.
  func interrupt() {
    state.withLock { state in
      guard state.deadline != nil else { return }
      let now = ContinuousClock.now
      state.deadline = now
      watch(&state, from: now)
    }
  }

  /// Ends the watchdog, before the state is closed.
  func release() {
    state.withLock { state in
      state.handle = nil
      state.guardian?.cancel()
      state.guardian = nil
    }
  }

  private func watch(_ state: inout State, from time: ContinuousClock.Instant) {
    state.guardian?.cancel()
    state.wakes = time
    state.guardian = Task.detached { [self] in
      var next = time
      while (try? await Task.sleep(until: next, clock: .continuous)) != nil {
        switch look() {
        case .nothing: return
        case .later(let time): next = time
        case .overdue(let call): guard await stop(call) else { return }
        }
      }
    }
  }

  private enum Finding {
    /// There is no call; the next one starts a new guardian.
    case nothing
    case later(ContinuousClock.Instant)
    case overdue(Int)
  }

  private func look() -> Finding {
    state.withLock { state in
      guard !Task.isCancelled, let deadline = state.deadline else {
        if !Task.isCancelled { state.guardian = nil }
        return .nothing
      }
      guard deadline <= .now else {
        state.wakes = deadline
        return .later(deadline)
      }
      return .overdue(state.call)
    }
  }

  /// Stops a call that keeps computing; returns false when that has no effect.
  private func stop(_ call: Int) async -> Bool {
    guard await computes(call, for: Self.grace) else { return true }
    state.withLock { state in
      if state.deadline != nil, state.call == call { state.handle?.request(.time) }
    }
    guard await computes(call, for: Self.mercy) else { return true }
    stuck()
    return false
  }

  /// Whether a call is still running after it used some CPU time, or after `patience`.
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

  private func isAtHand(_ call: Int) -> Bool {
    state.withLock { $0.deadline != nil && $0.call == call }
  }
}
