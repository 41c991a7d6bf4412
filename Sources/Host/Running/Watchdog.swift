public import Lua
import Synchronization

/// Stops a Lua state from outside when its script does not end by itself.
///
/// It watches calls (`hold`), or how long the state computes without a wait (`watchStretches`). Against work
/// that goes on for too long it takes its steps, one after the other, until the work ends.
public final class Watchdog: Sendable {
  /// Something done to work that goes on.
  public enum Action: Sendable {
    /// Raises "interrupted" in the running code, which may catch it; the waits of a call fail, too.
    case interrupt
    /// Stops the state, which the script cannot catch.
    case stop(LuaStop)
    /// Called when nothing else helps: the state is inside a C function, a finalizer or a hook.
    case report(@Sendable () -> Void)
  }

  /// An action, and how long the state may run before it, counted from the step before.
  ///
  /// Only time inside Lua counts, as a correct script may wait long for its turn on a busy thread or machine.
  public typealias Step = (after: Duration, action: Action)

  private struct State {
    var handle: ScriptStopHandle?
    /// The number of the last call, so that a late step cannot hit a later call.
    var call = 0
    var isCalling = false
    var watchesStretches = false
    /// The deadline of the current call.
    var deadline: ContinuousClock.Instant?
    /// When the state was paused, and what was left of the current call's time then.
    var pause: (began: ContinuousClock.Instant, left: Duration?)?
    /// The steps against the current call.
    var steps: [Step]
    var guardian: Task<Void, Never>?
    /// When the guardian checks next.
    var wakes = ContinuousClock.now
  }

  private enum Work {
    case call(Int)
    case stretch(Int)
  }

  private enum Finding {
    /// There is no call with a deadline; the next one starts a new guardian.
    case nothing
    case later(ContinuousClock.Instant)
    case overdue(Work, [Step], used: Duration)
  }

  /// How often the stretches are checked.
  private static let interval = Duration.milliseconds(200)

  private let state: Mutex<State>
  private let clock = CPUClock()
  private let wait = ProcessorWait()
  private let steps: [Step]
  private let patience: Duration?

  /// Creates a watchdog; call this on the state's thread.
  ///
  /// - Parameters:
  ///   - steps: Taken when a call is past its deadline, or against a long stretch.
  ///   - patience: The maximum time before a step, for a call that does not run Lua: its waits do not end, or
  ///     the thread is busy with other states.
  public init(_ interpreter: Interpreter, patience: Duration? = nil, overdue steps: [Step] = []) {
    self.steps = steps
    self.patience = patience
    state = Mutex(State(handle: interpreter.stopHandle, steps: steps))
    interpreter.ownTime = clock
  }

  /// Watches a call until it ends.
  ///
  /// - Parameter limit: When the call is overdue; without a limit only `escalate` takes steps.
  public func hold<Value>(_ limit: Duration?, _ body: () async -> Value) async -> Value {
    state.withLock { state in
      let deadline = limit.map { ContinuousClock.now + $0 }
      state.call += 1
      state.isCalling = true
      state.deadline = deadline
      state.steps = steps
      // A guardian that checks earlier reschedules itself: a timer per call would cost more than most calls.
      if let deadline, state.guardian == nil || state.wakes > deadline {
        watch(&state, from: deadline)
      }
    }
    let value = await body()
    state.withLock { $0.isCalling = false }
    return value
  }

  /// Watches all code of the state; the first step's time counts from the last wait.
  public func watchStretches() {
    state.withLock { state in
      state.watchesStretches = true
      watch(&state, from: .now + Self.interval)
    }
  }

  /// Stops the time of the current call while the state is paused.
  public func pause(_ isPaused: Bool) {
    state.withLock { state in
      let now = ContinuousClock.now
      if isPaused {
        state.pause = (now, state.deadline.map { now.duration(to: $0) })
        state.deadline = nil
      } else if let pause = state.pause.take(), state.isCalling, state.deadline == nil,
        let left = pause.left
      {
        state.deadline = now + max(left, .zero)
        watch(&state, from: now + max(left, .zero))
      }
    }
  }

  /// Whether a call is held.
  public var isHolding: Bool { state.withLock(\.isCalling) }

  /// Takes steps against the current call from now on, by default those for an overdue one; false without a call.
  @discardableResult
  public func escalate(_ steps: [Step]? = nil) -> Bool {
    state.withLock { state in
      guard state.isCalling else { return false }
      state.steps = steps ?? self.steps
      state.deadline = .now
      watch(&state, from: .now)
      return true
    }
  }

  /// Raises "interrupted" in code that runs while no call is held.
  public func interruptTasks() { state.withLock { $0.handle?.interruptCall() } }

  /// Ends the watchdog; no step is taken after this returns.
  public func release() async {
    let guardian = state.withLock { state in
      state.handle = nil
      state.isCalling = false
      return state.guardian.take()
    }
    guardian?.cancel()
    await guardian?.value
  }

  private func watch(_ state: inout State, from time: ContinuousClock.Instant) {
    state.guardian?.cancel()
    state.wakes = time
    state.guardian = Task.detached { [self] in
      var time = time
      while (try? await Task.sleep(until: time, clock: .continuous)) != nil {
        switch look() {
        case .nothing: return
        case .later(let next): time = next
        case .overdue(let work, let steps, let used):
          guard await end(work, steps, used: used) else { return }
        }
      }
    }
  }

  private func look() -> Finding {
    state.withLock { state in
      if state.watchesStretches {
        guard let stretch = clock.stretch else { return .later(.now + Self.interval) }
        return .overdue(.stretch(stretch.number), steps, used: stretch.time)
      }
      guard !Task.isCancelled, state.isCalling, let deadline = state.deadline else {
        if !Task.isCancelled { state.guardian = nil }
        return .nothing
      }
      guard deadline <= .now else {
        state.wakes = deadline
        return .later(deadline)
      }
      return .overdue(.call(state.call), state.steps, used: .zero)
    }
  }

  /// Takes the steps until the work has ended; false when it still goes on after the last one.
  private func end(_ work: Work, _ steps: [Step], used: Duration) async -> Bool {
    var used = used
    for step in steps {
      guard await goesOn(work, for: step.after - used) else { return true }
      used = .zero
      take(step.action, work)
    }
    state.withLock { if !Task.isCancelled { $0.guardian = nil } }
    return false
  }

  private func take(_ action: Action, _ work: Work) {
    if case .report(let report) = action {
      if isUnderWay(work) { report() }
      return
    }
    // Under the lock, so that the work cannot end and the state cannot be closed meanwhile.
    state.withLock { state in
      guard !Task.isCancelled, let handle = state.handle else { return }
      let stop: LuaStop? = if case .stop(let reason) = action { reason } else { nil }
      switch work {
      case .call(let number):
        guard state.isCalling, state.call == number else { return }
        if let stop { handle.request(stop) } else { handle.interruptCall() }
      case .stretch(let number):
        clock.ifRunning(number) {
          if let stop { handle.request(stop) } else { handle.interruptComputation() }
        }
      }
    }
  }

  /// Whether work still goes on after the state ran for a time, or after `patience`.
  ///
  /// The time for which the thread waits for a processor does not count.
  private func goesOn(_ work: Work, for time: Duration) async -> Bool {
    let (ran, waited, start) = (clock.elapsed, wait.duration, ContinuousClock.now)
    while isUnderWay(work) {
      let waits = wait.duration - waited
      var left = time - (clock.elapsed - ran - waits)
      if let patience { left = min(left, patience - (start.duration(to: .now) - waits)) }
      guard left > .zero else { return true }
      // A stretch is short as a rule, so look for the next one soon.
      if case .stretch = work { left = min(left, Self.interval) }
      guard (try? await Task.sleep(for: max(left, .milliseconds(10)))) != nil else { return false }
    }
    return false
  }

  private func isUnderWay(_ work: Work) -> Bool {
    guard !Task.isCancelled else { return false }
    return switch work {
    case .call(let number): state.withLock { $0.isCalling && $0.call == number }
    case .stretch(let number): clock.stretch?.number == number
    }
  }
}
