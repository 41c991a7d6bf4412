import HTTP

/// Lets steps begin and calls go out: as fast as the pace allows, and as many at a time as are allowed.
///
/// A step is admitted before its intent is written, and a call has a place only while it is under way, so that no
/// place is empty while the journal writes. Lives on its loop's thread.
final class Gate {
  /// Who may go on.
  enum Phase {
    case running
    /// No row begins; what has begun ends, unless it would have to wait long.
    case draining
    /// No call goes out.
    case stopped
  }

  private struct Sleeper {
    let timer: TimerToken
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// How many steps may be between their admission and their end for each call under way: while a disk makes the
  /// intents of some durable, which takes milliseconds, those before them must be enough to fill all places.
  private static let admittedForEachPlace = 4

  private(set) var pace: Pace
  private(set) var concurrency: Int
  private(set) var phase = Phase.running
  private(set) var isPaused = false
  /// Calls under way.
  private(set) var inFlight = 0
  /// Calls that the backend answered well, look-ups included.
  private(set) var successes: Int64 = 0

  private let loop: EventLoop
  private let start = ContinuousClock.now
  private var random = SystemRandomNumberGenerator()
  private var admitted = 0
  /// Rows that have begun go first: a merge between its steps is a person who cannot sign in.
  private var begun: [CheckedContinuation<Bool, Never>] = []
  private var fresh: [CheckedContinuation<Bool, Never>] = []
  private var calls: [CheckedContinuation<Bool, Never>] = []
  private var sleepers: [Int: Sleeper] = [:]
  private var sleeperCount = 0
  private var timer: TimerToken?

  init(loop: EventLoop, concurrency: Int, rate: Double?) {
    self.loop = loop
    self.concurrency = max(1, concurrency)
    pace = Pace(limit: rate)
  }

  /// The time since the run began.
  var now: Duration { start.duration(to: .now) }

  /// A number from 0 to below 1.
  func chance() -> Double { .random(in: 0..<1, using: &random) }

  // MARK: Steps

  /// Waits until a step may begin; false when it may not any more.
  ///
  /// `retire` must follow.
  func admit(isBegun: Bool) async -> Bool {
    if begun.isEmpty, isBegun || fresh.isEmpty, let answer = decide(isBegun) { return answer }
    return await withCheckedContinuation { continuation in
      if isBegun { begun.append(continuation) } else { fresh.append(continuation) }
      pump()
    }
  }

  /// Ends what `admit` began.
  func retire() {
    admitted -= 1
    pump()
  }

  /// Whether a step that goes out together with others may begin.
  func mayBegin(isBegun: Bool) -> Bool {
    switch phase {
    case .running: true
    case .draining: isBegun
    case .stopped: false
    }
  }

  /// Yes, no, or nil for later.
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

  /// Waits for a place; false when no call may go out any more.
  ///
  /// `leave` must follow.
  func enter() async -> Bool {
    if calls.isEmpty, let answer = placed() { return answer }
    return await withCheckedContinuation { continuation in
      calls.append(continuation)
      pump()
    }
  }

  /// Gives a place back.
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

  /// Waits until the pause that all share is over; false when the run ends before.
  func sitOut() async -> Bool {
    while let wait = pace.pause(at: now) {
      guard await rest(for: wait) else { return false }
    }
    return phase != .stopped
  }

  /// Waits; false when the run is to end before.
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

  // MARK: What calls tell

  func succeeded() {
    successes += 1
    pace.succeeded(at: now)
  }

  func throttled(after asked: Duration?) {
    pace.throttled(after: asked, at: now, chance: chance())
    pump()
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
    self.isPaused = isPaused
    pump()
  }

  /// Lets no row begin any more; there is no way back.
  func drain() {
    if phase == .running { end(.draining) }
  }

  /// Lets no call go out any more; there is no way back.
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

  /// Lets those go on whose turn it is.
  private func pump() {
    while let first = calls.first, let answer = placed() {
      calls.removeFirst()
      first.resume(returning: answer)
    }
    while let first = begun.first, let answer = decide(true) {
      begun.removeFirst()
      first.resume(returning: answer)
    }
    // Once no row may begin, those that have not are told so at once.
    while begun.isEmpty || phase != .running, let first = fresh.first, let answer = decide(false) {
      fresh.removeFirst()
      first.resume(returning: answer)
    }
  }
}
