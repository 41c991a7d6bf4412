import HTTP
import System

/// Admits steps and calls within the rate limit and the concurrency limit.
///
/// A step is admitted before its intent is written, but a call holds a permit only while it is in flight, so that
/// no permit is unused while the journal writes. Confined to its loop's thread.
final class ConcurrencyLimit {
  /// Which steps and calls may begin.
  enum Phase {
    case running
    /// No row begins; rows in progress continue, unless they would have to wait long.
    case draining
    /// No call may begin.
    case stopped
  }

  private struct Sleeper {
    let timer: TimerToken
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// How many steps per concurrent call may be between admission and end.
  ///
  /// While the journal syncs the intents of some steps to disk, which takes milliseconds, the other steps must
  /// suffice to use all permits.
  private static let admittedForEachPlace = 4

  private(set) var pace: RateLimiter
  private(set) var concurrency: Int
  private(set) var phase = Phase.running
  private(set) var isPaused = false
  private(set) var inFlight = 0
  /// The number of successful calls, including lookups.
  private(set) var successes: Int64 = 0

  private let loop: EventLoop
  private let start = ContinuousClock.now
  private var random = SystemRandomNumberGenerator()
  private var admitted = 0
  /// Rows that have begun go first: during a merge, the user may be unable to sign in.
  private var begun = Queue<CheckedContinuation<Bool, Never>>()
  private var fresh = Queue<CheckedContinuation<Bool, Never>>()
  private var calls = Queue<CheckedContinuation<Bool, Never>>()
  private var sleepers: [Int: Sleeper] = [:]
  private var sleeperCount = 0
  private var timer: TimerToken?

  init(
    loop: EventLoop, concurrency: Int, rate: Double?, slowest: Double = RateLimiter.slowest
  ) {
    self.loop = loop
    self.concurrency = max(1, concurrency)
    pace = RateLimiter(limit: rate, slowest: slowest)
  }

  var now: Duration { start.duration(to: .now) }

  /// A random number from 0 up to, but not including, 1.
  func chance() -> Double { .random(in: 0..<1, using: &random) }

  // MARK: Steps

  /// Waits until a step may begin; false when no step may begin any more.
  ///
  /// After true, the caller must call `retire`.
  func admit(isBegun: Bool) async -> Bool {
    if begun.isEmpty, isBegun || fresh.isEmpty, let answer = decide(isBegun) { return answer }
    return await withCheckedContinuation { continuation in
      if isBegun { begun.append(continuation) } else { fresh.append(continuation) }
      pump()
    }
  }

  /// Ends an admitted step.
  func retire() {
    admitted -= 1
    pump()
  }

  /// Whether a step that is sent in a group may begin.
  func mayBegin(isBegun: Bool) -> Bool {
    switch phase {
    case .running: true
    case .draining: isBegun
    case .stopped: false
    }
  }

  /// Whether a step may begin; nil if it must wait.
  private func decide(_ isBegun: Bool) -> Bool? {
    let now = now
    guard mayBegin(isBegun: isBegun) else { return false }
    if phase == .draining {
      if pace.pause(at: now) != nil { return false }
    } else if isPaused {
      return nil
    }
    guard admitted < Self.admittedForEachPlace * concurrency else { return nil }
    if let wait = pace.take(at: now) {
      wake(after: wait)
      return nil
    }
    admitted += 1
    return true
  }

  // MARK: Calls

  /// Waits for a permit; false when no call may begin any more.
  ///
  /// After true, the caller must call `leave`.
  func enter() async -> Bool {
    if calls.isEmpty, let answer = placed() { return answer }
    return await withCheckedContinuation { continuation in
      calls.append(continuation)
      pump()
    }
  }

  /// Returns a permit.
  func leave() {
    inFlight -= 1
    pump()
  }

  private func placed() -> Bool? {
    guard phase != .stopped else { return false }
    if let wait = pace.pause(at: now) {
      if phase == .draining { return false }
      wake(after: wait)
      return nil
    }
    guard inFlight < concurrency else { return nil }
    inFlight += 1
    return true
  }

  /// Waits for the end of the pause after throttling; false when the run ends first.
  func sitOut() async -> Bool {
    while let wait = pace.pause(at: now) {
      guard await rest(for: wait) else { return false }
    }
    return phase != .stopped
  }

  /// Sleeps; false when the run drains or stops first.
  func rest(for duration: Duration) async -> Bool {
    guard phase == .running else { return false }
    sleeperCount += 1
    let number = sleeperCount
    return await withCheckedContinuation { continuation in
      let timer = loop.beginSleep(for: duration) { isRested in
        self.sleepers.removeValue(forKey: number)?.continuation.resume(returning: isRested)
      }
      sleepers[number] = Sleeper(timer: timer, continuation: continuation)
    }
  }

  // MARK: Call results

  func succeeded() {
    successes += 1
    pace.succeeded(at: now)
  }

  /// Records a throttled call; returns how long it alone must wait, or nil if all calls pause.
  func throttled(after asked: Duration?) -> Duration? {
    defer { pump() }
    return pace.throttled(after: asked, at: now, chance: chance())
  }

  // MARK: Control

  func set(rate: Double?) {
    pace.setLimit(rate, at: now)
    pump()
  }

  func set(concurrency: Int) {
    self.concurrency = max(1, concurrency)
    pump()
  }

  func set(isPaused: Bool) {
    if self.isPaused, !isPaused { pace.resumed(at: now) }
    self.isPaused = isPaused
    pump()
  }

  /// Lets no further row begin; irreversible.
  func drain() {
    if phase == .running { end(.draining) }
  }

  /// Lets no further call begin; irreversible.
  func stop() { end(.stopped) }

  private func end(_ phase: Phase) {
    self.phase = phase
    let resting = sleepers
    sleepers = [:]
    for sleeper in resting.values {
      loop.cancel(sleeper.timer)
      sleeper.continuation.resume(returning: false)
    }
    pump()
  }

  // MARK: Waiting

  private func wake(after wait: Duration) {
    if let timer { loop.cancel(timer) }
    timer = loop.schedule(after: wait) {
      self.timer = nil
      self.pump()
    }
  }

  /// Resumes the waiting calls and steps that may begin.
  private func pump() {
    while !calls.isEmpty, let answer = placed() {
      calls.popFirst()?.resume(returning: answer)
    }
    while !begun.isEmpty, let answer = decide(true) {
      begun.popFirst()?.resume(returning: answer)
    }
    // While draining or stopped, steps of new rows are refused at once, even if rows in progress still wait.
    while begun.isEmpty || phase != .running, !fresh.isEmpty, let answer = decide(false) {
      fresh.popFirst()?.resume(returning: answer)
    }
  }
}
