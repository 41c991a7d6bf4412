import HTTP

/// A rate limiter: a token bucket whose rate adapts to throttling by the backend.
///
/// Throttling halves the rate. Then it climbs by a cubic curve as in TCP (RFC 9438): fast at first, slowly near the
/// rate that was throttled, then faster beyond it. The caller supplies time and random numbers; times may come from
/// any monotonic clock.
///
/// A backend that throttles few calls, and also far below the rate that it throttled before, does so at random: a lower
/// rate does not help, so only the throttled calls wait.
struct RateLimiter: Sendable {
  /// The user's limit in calls per second; nil for no limit.
  private(set) var limit: Double?
  /// The current limit in calls per second after throttling; nil if there was none or it no longer applies.
  private(set) var learned: Double?
  /// The end of the pause that applies to all calls.
  private(set) var pausedUntil: Duration?
  /// The number of throttlings by the backend.
  private(set) var throttles = 0

  /// The lowest rate that throttling leads to, in calls per second, unless the user sets another one.
  static let slowest = 0.5
  /// The share of throttled calls, and the number of them without a success, from which on the rate is too high.
  static let highestShare = 1.0 / 6
  static let mostThrottled = 4
  /// The number of calls after which that share says something.
  private static let fewestAnswered = 16
  /// How many calls must be throttled at random before the rate is kept for all such calls.
  static let fewestAtRandom = 2.0
  /// The longest pause, unless the backend requests a longer one.
  static let longestPause = Duration.seconds(60)
  /// The maximum length of the first pause; it doubles with each consecutive throttling.
  static let firstPause = Duration.milliseconds(500)
  /// How long the rate takes to climb back to the rate that was throttled.
  static let climbTime = Duration.seconds(5)

  private var tokens: Double = 1
  private var filled = Duration.zero
  /// The number of consecutive throttlings without a success.
  private var streak = 0
  /// When the rate was last halved; throttled responses within a second of it do not halve the rate again.
  private var halved: Duration?
  /// The throttled rate, the halved rate, and the working time since.
  private var top: Double = 0
  private var bottom: Double = 0
  private var climbed = Duration.zero
  /// The time of the last event; nil before the first call.
  private var last: Duration?
  /// The lowest rate that throttling leads to.
  private let slowest: Double
  /// The share of throttled calls among about the last 32, and the number of calls that it is from.
  private var share = 0.0
  private var answered = 0
  /// The number of throttled calls since the last success.
  private var throttledInRow = 0
  /// The rate that was throttled when most calls were, or when none had been before.
  private var peak = 0.0
  /// How often the backend throttled at random lately, up to twice `fewestAtRandom`.
  private var atRandom = 0.0
  /// Calls admitted in total, and calls that succeeded in the current measurement.
  private var taken = 0
  private var successes = 0
  private var measuring = Duration.zero
  /// The successful calls per second in the last full measurement; nil before the first one.
  private var measured: Double?

  /// Creates a rate limiter; `limit` is in calls per second, nil for no limit, and so is `slowest`.
  init(limit: Double? = nil, slowest: Double = Self.slowest) {
    self.limit = limit
    self.slowest = slowest
  }

  /// The current rate in calls per second; nil when only the concurrency limits calls.
  var rate: Double? {
    switch (limit, learned) {
    case (let limit?, let learned?): min(limit, learned)
    case (let limit, let learned): limit ?? learned
    }
  }

  /// Sets the user's limit; nil removes it.
  mutating func setLimit(_ limit: Double?, at now: Duration) {
    fill(now)
    self.limit = limit
    tokens = min(tokens, 1)
  }

  /// Drops tokens saved during a pause, which would cause a burst after it.
  mutating func resumed(at now: Duration) {
    tokens = min(tokens, 1)
    filled = now
    // The pause does not count as working time.
    last = last.map { _ in now }
  }

  /// Takes a token for a call; without one, returns the time to wait before the next attempt.
  mutating func take(at now: Duration) -> Duration? {
    if let pausedUntil {
      if now < pausedUntil { return pausedUntil - now }
      self.pausedUntil = nil
      resumed(at: now)
    }
    if let rate {
      fill(now)
      guard tokens >= 1 else { return .seconds((1 - tokens) / rate) }
      tokens -= 1
    }
    if last == nil { last = now }
    taken += 1
    return nil
  }

  /// The remaining pause for all calls; nil if there is none.
  func pause(at now: Duration) -> Duration? {
    pausedUntil.flatMap { $0 > now ? $0 - now : nil }
  }

  private mutating func fill(_ now: Duration) {
    defer { filled = max(filled, now) }
    guard let rate, now > filled else { return }
    // Allow a burst of a tenth of a second, so that short stalls do not lower the rate.
    tokens = min(max(1, rate / 10), tokens + rate * ((now - filled) / .seconds(1)))
  }

  /// Records a successful call, and raises the rate.
  mutating func succeeded(at now: Duration) {
    streak = 0
    throttledInRow = 0
    answered += 1
    share -= share / 32
    climbed += work(until: now)
    successes += 1
    guard learned != nil else { return }
    let part = climbed / Self.climbTime - 1
    let cube = part * part * part
    let rate = part < 0 ? top + (top - bottom) * cube : top + top / 2 * cube
    // At twice the throttled rate without new throttling, the cause is gone, so remove the limit.
    learned = rate >= (limit ?? .infinity) || rate > 2 * top ? nil : max(rate, slowest)
  }

  /// Records a throttled call; `chance` is a new random number from 0 up to, but not including, 1.
  ///
  /// - Returns: How long this call alone must wait; nil if all calls pause.
  @discardableResult
  mutating func throttled(after asked: Duration?, at now: Duration, chance: Double) -> Duration? {
    _ = work(until: now)
    throttles += 1
    if isAtRandom(at: now) {
      let wait = Self.firstPause * chance
      return asked.map { $0 + wait } ?? wait
    }
    if halved.map({ now - $0 >= .seconds(1) }) ?? true, pause(at: now) == nil {
      // What was carried out in less than a second does not show that a known rate was not reached.
      let reached = rate == nil ? borne : measured
      let before = max([rate, reached].compactMap { $0 }.min() ?? Double(taken), slowest * 2)
      streak += 1
      // While no call succeeds, keep the last rate that worked as the rate to climb back to.
      if learned == nil || streak == 1 { top = before }
      if learned == nil || share >= Self.highestShare || answered < Self.fewestAnswered {
        peak = before
      }
      fill(now)
      bottom = max(slowest, min(before, learned ?? before) / 2)
      learned = bottom
      halved = now
      climbed = .zero
    }
    // Full jitter, so that machines throttled together do not resume at the same moment.
    var wait = min(Self.firstPause * (1 << min(max(streak, 1) - 1, 10)), Self.longestPause) * chance
    if let asked { wait = asked + min(wait, .milliseconds(500)) }
    pausedUntil = max(pausedUntil ?? .zero, now + wait)
    return nil
  }

  /// Whether a call was throttled for no reason that a lower rate would remove.
  private mutating func isAtRandom(at now: Duration) -> Bool {
    throttledInRow += 1
    // Calls that were under way when the rate was halved say nothing about the new rate.
    if let halved, now - halved < .seconds(1) { return false }
    answered += 1
    share += (1 - share) / 32
    guard answered >= Self.fewestAnswered, share < Self.highestShare,
      throttledInRow < Self.mostThrottled
    else {
      atRandom = 0
      return false
    }
    let isFarBelow = learned.map { $0 < max(0.8 * top, 0.5 * peak) } ?? false
    if isFarBelow, throttledInRow == 1 {
      atRandom = min(atRandom + 1, 2 * Self.fewestAtRandom)
      return true
    }
    if atRandom >= Self.fewestAtRandom { return true }
    // A quota throttles near the same rate each time.
    atRandom = max(0, atRandom - 0.1)
    return false
  }

  /// The recent successful calls per second; nil when there was none.
  private var borne: Double? {
    if let measured { return measured }
    // The first calls are sent all at once, so measure them over at least 0.1 seconds.
    return successes == 0 ? nil : Double(successes) / max(measuring / .seconds(1), 0.1)
  }

  /// Adds the time since the last event to the measurement, and returns it.
  private mutating func work(until now: Duration) -> Duration {
    // Idle time counts as one second at most, because nothing was learned from it.
    let time = max(.zero, min(now - (last ?? now), .seconds(1)))
    last = max(last ?? now, now)
    measuring += time
    // A second without success means that the pause was too short; it is not a rate.
    if measuring >= .seconds(1), successes > 0 {
      measured = Double(successes) / (measuring / .seconds(1))
      measuring = .zero
      successes = 0
    }
    return time
  }
}

/// Counts the tries of one step, and computes the waits between them.
struct Tries: Sendable {
  /// The maximum wait before the second try; it doubles with each further one.
  static let firstWait = Duration.milliseconds(200)
  static let longestWait = Duration.seconds(15)

  /// The maximum number of tries.
  let most: Int
  /// The number of failed tries.
  private(set) var failed = 0

  /// Counts a failure; returns the wait before the next try, or nil when none is left.
  mutating func next(chance: Double) -> Duration? {
    failed += 1
    guard failed < most else { return nil }
    return min(Self.firstWait * (1 << min(failed - 1, 10)), Self.longestWait) * chance
  }
}

/// What the machines that work on one journal share besides its rows: a rate limit and the user's commands.
protocol SharedRate: Sendable {
  /// Takes up to `count` permits from the shared rate, and returns how many it got; 0 for none yet.
  func takeTokens(atMost count: Int) async throws(BatchProblem) -> Int

  /// The stream of commands sent to all machines from now on.
  func controls() -> AsyncStream<BatchControl>

  /// Sends a command to all machines.
  func send(_ control: BatchControl) async throws(BatchProblem)

  /// The outage of the shared server; nil while it is reachable.
  var outage: JournalOutage? { get }
}

extension SharedRate {
  /// By default, the shared server is always reachable.
  var outage: JournalOutage? { nil }
}

extension PostgresJournal: SharedRate {}

extension Executor {
  /// How many permits to take from the shared rate at once.
  private static let handful = 16

  /// Waits until a step may begin; then the caller must call `gate.retire`.
  func admit(isBegun: Bool) async throws(StepStop) {
    guard await gate.admit(isBegun: isBegun) else { throw .ended }
    do throws(StepStop) {
      try await takeShared()
    } catch {
      gate.retire()
      throw error
    }
  }

  /// Takes a permit from the shared rate, if the run has one.
  ///
  /// None is taken during a pause: the permits of all waiting steps would be used at once when the run goes on.
  private func takeShared() async throws(StepStop) {
    guard let shared else { return }
    while true {
      guard gate.phase != .stopped else { throw .ended }
      if gate.isPaused, gate.phase == .running {
        _ = await gate.rest(for: .milliseconds(50))
        continue
      }
      if stock > 0 { break }
      do throws(BatchProblem) {
        _ = try await taking.share { () async throws(BatchProblem) in
          stock += try await shared.takeTokens(atMost: Self.handful)
        }
      } catch {
        fail(error)
        throw .ended
      }
      // Often enough even for a rate of a few calls per second.
      if stock == 0, !(await gate.rest(for: .milliseconds(50))) { throw .ended }
    }
    stock -= 1
  }

  /// Refreshes the counts of the whole run regularly, for status queries.
  func watchOthers() async {
    var rest = Duration.seconds(5)
    while (try? await Task.sleep(for: rest)) != nil {
      let start = gate.now
      // Stop without an error if the server is lost; the next write reports it.
      guard (try? await lookAtAll()) != nil else { return }
      // Counting many rows takes a while, so spend at most a twentieth of the time on it.
      rest = max(.seconds(5), (gate.now - start) * 20)
    }
  }

  /// Refreshes the counts of the whole run.
  func lookAtAll() async throws(BatchProblem) {
    meter.beginLook()
    meter.endLook(try await journal.tally(batch), at: gate.now)
  }

  /// Executes the commands sent to all machines, until the run ends.
  func follow(_ controls: AsyncStream<BatchControl>) async {
    for await control in controls {
      // The shared permits already enforce the rate.
      if case .rate = control { continue }
      self.control(control)
    }
  }
}
