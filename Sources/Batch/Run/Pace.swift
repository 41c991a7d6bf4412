/// How fast calls may be made: a token bucket whose rate follows what the backend bears.
///
/// Additive increase, multiplicative decrease: throttling halves the rate, and each second without it adds a
/// little. Knows nothing of time and chance: both are told. Times are of any clock that only goes forward.
public struct Pace: Sendable {
  /// The most calls a second that a person allows; nil for as many as the backend bears.
  public private(set) var limit: Double?
  /// The calls a second that throttling has left; nil while there was none, or when it is forgotten.
  public private(set) var learned: Double?
  /// When the pause that all calls share is over.
  public private(set) var pausedUntil: Duration?
  /// How often the backend has throttled.
  public private(set) var throttles = 0

  /// No rate goes below this many calls a second.
  public static let slowest = 0.5
  /// The longest pause that nobody asked for.
  public static let longestPause = Duration.seconds(60)
  /// The longest first pause; it doubles with each throttling in a row.
  static let firstPause = Duration.milliseconds(500)

  private var tokens: Double = 1
  private var filled = Duration.zero
  /// Throttlings since the last success.
  private var streak = 0
  /// What comes from calls that were under way at a halving says nothing new.
  private var halved: Duration?
  private var raised = Duration.zero
  /// Where the learned rate began, of which each second adds a part.
  private var peak: Double = 0
  private var second = Duration.zero
  private var successes = 0
  private var measured: Double = 0

  /// Starts at a limit.
  public init(limit: Double? = nil) { self.limit = limit }

  /// Calls a second now; nil when nothing but the concurrency limits them.
  public var rate: Double? {
    switch (limit, learned) {
    case (let limit?, let learned?): min(limit, learned)
    case (let limit, let learned): limit ?? learned
    }
  }

  /// Sets or lifts the limit.
  public mutating func setLimit(_ limit: Double?, at now: Duration) {
    fill(now)
    self.limit = limit
    tokens = min(tokens, 1)
  }

  /// Takes a token for a call, or tells how long until there may be one.
  public mutating func take(at now: Duration) -> Duration? {
    if let pausedUntil {
      if now < pausedUntil { return pausedUntil - now }
      self.pausedUntil = nil
      // Saved tokens would make a burst out of the pause.
      tokens = min(tokens, 1)
      filled = now
    }
    guard let rate else { return nil }
    fill(now)
    guard tokens < 1 else {
      tokens -= 1
      return nil
    }
    return .seconds((1 - tokens) / rate)
  }

  /// Until when all calls wait; nil when they need not.
  public func pause(at now: Duration) -> Duration? {
    pausedUntil.flatMap { $0 > now ? $0 - now : nil }
  }

  private mutating func fill(_ now: Duration) {
    defer { filled = max(filled, now) }
    guard let rate, now > filled else { return }
    // A tenth of a second's worth may be saved up, so that the rate is kept over short stalls too.
    tokens = min(max(1, rate / 10), tokens + rate * ((now - filled) / .seconds(1)))
  }

  /// A call was carried out.
  public mutating func succeeded(at now: Duration) {
    streak = 0
    measure(now)
    successes += 1
    guard let learned, now - raised >= .seconds(1) else { return }
    raised = now
    let raise = learned + max(1, peak / 20)
    // Twice what throttled, without being throttled again: whatever it was is over.
    self.learned = raise >= (limit ?? .infinity) || raise > 2 * peak ? nil : raise
  }

  /// A call was throttled; `chance` is a number from 0 to below 1, another one each time.
  public mutating func throttled(after asked: Duration?, at now: Duration, chance: Double) {
    measure(now)
    throttles += 1
    if halved.map({ now - $0 >= .seconds(1) }) ?? true, pause(at: now) == nil {
      let before = rate ?? max(measured, Double(successes), Self.slowest * 2)
      if learned == nil { peak = before }
      fill(now)
      learned = max(Self.slowest, before / 2)
      halved = now
      raised = now
      streak += 1
    }
    // Full jitter: machines that were throttled together do not come back together.
    var wait = min(Self.firstPause * (1 << min(max(streak, 1) - 1, 10)), Self.longestPause) * chance
    if let asked { wait = asked + min(wait, .milliseconds(500)) }
    pausedUntil = max(pausedUntil ?? .zero, now + wait)
  }

  /// Counts what the backend bears in a second.
  private mutating func measure(_ now: Duration) {
    guard now - second >= .seconds(1) else { return }
    measured = Double(successes) / ((now - second) / .seconds(1))
    second = now
    successes = 0
  }
}

/// How often one step is tried, and how long it waits in between.
public struct Tries: Sendable {
  /// The longest wait before the second try; it doubles with each further one.
  static let firstWait = Duration.milliseconds(200)
  static let longestWait = Duration.seconds(15)

  /// How many tries there may be.
  public let most: Int
  /// How many failed.
  public private(set) var failed = 0

  /// Allows so many.
  public init(most: Int) { self.most = most }

  /// Counts a failure; gives how long to wait before the next try, and nil when there is none.
  public mutating func next(chance: Double) -> Duration? {
    failed += 1
    guard failed < most else { return nil }
    return min(Self.firstWait * (1 << min(failed - 1, 10)), Self.longestWait) * chance
  }
}
