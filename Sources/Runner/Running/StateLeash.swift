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
    /// Until when the call at hand may go on; nil when there is none.
    var deadline: ContinuousClock.Instant?
    var guardian: Task<Void, Never>?
    /// When the guardian looks next.
    var wakes = ContinuousClock.now
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
    state.withLock { state in
      let deadline = ContinuousClock.now + limit
      state.call += 1
      state.deadline = deadline
      // One that looks before that finds out by itself: a timer for each call would cost more than most calls.
      if state.guardian == nil || state.wakes > deadline { watch(&state, from: deadline) }
    }
    let value = await body()
    state.withLock { $0.deadline = nil }
    return value
  }

  /// Stops the call at hand, if there is one, when it does not end soon.
  func interrupt() {
    state.withLock { state in
      guard state.deadline != nil else { return }
      let now = ContinuousClock.now
      state.deadline = now
      watch(&state, from: now)
    }
  }

  /// The state is going to be closed.
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
    /// There is no call; the next one finds no guardian.
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

  /// Stops a call that computes on; false when that has no effect.
  private func stop(_ call: Int) async -> Bool {
    guard await computes(call, for: Self.grace) else { return true }
    state.withLock { state in
      if state.deadline != nil, state.call == call { state.handle?.request(.time) }
    }
    guard await computes(call, for: Self.mercy) else { return true }
    stuck()
    return false
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

  private func isAtHand(_ call: Int) -> Bool {
    state.withLock { $0.deadline != nil && $0.call == call }
  }
}
