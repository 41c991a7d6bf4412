/// How fast calls may be made: a token bucket whose rate follows what the backend bears.
///
/// Throttling halves the rate. From there it climbs by a cubic curve, as TCP does by RFC 9438: fast at first, slowly
/// near the rate that was throttled, and then faster and faster beyond it. Knows nothing of time and chance: both
/// are told. Times are of any clock that only goes forward.
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
  /// How long the rate takes back to the one that was throttled.
  static let climbTime = Duration.seconds(5)

  private var tokens: Double = 1
  private var filled = Duration.zero
  /// Throttlings since the last success.
  private var streak = 0
  /// What comes from calls that were under way at a halving says nothing new.
  private var halved: Duration?
  /// The rate that was throttled and what was left of it, and how long has been worked since.
  private var top: Double = 0
  private var bottom: Double = 0
  private var climbed = Duration.zero
  /// When something happened last; nil before the first call.
  private var last: Duration?
  /// Calls that were let out, and calls that were carried out in the time measured now.
  private var taken = 0
  private var successes = 0
  private var measuring = Duration.zero
  /// What the backend bore in the last second of work; nil before one is over.
  private var measured: Double?

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
      // Nor is it time in which anything was tried.
      last = now
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
    climbed += work(until: now)
    successes += 1
    guard learned != nil else { return }
    let part = climbed / Self.climbTime - 1
    let cube = part * part * part
    let rate = part < 0 ? top + (top - bottom) * cube : top + top / 2 * cube
    // Twice what throttled, without being throttled again: whatever it was is over.
    learned = rate >= (limit ?? .infinity) || rate > 2 * top ? nil : max(rate, Self.slowest)
  }

  /// A call was throttled; `chance` is a number from 0 to below 1, another one each time.
  public mutating func throttled(after asked: Duration?, at now: Duration, chance: Double) {
    _ = work(until: now)
    throttles += 1
    if halved.map({ now - $0 >= .seconds(1) }) ?? true, pause(at: now) == nil {
      let before = max([rate, borne].compactMap { $0 }.min() ?? Double(taken), Self.slowest * 2)
      streak += 1
      // While nothing gets through, the rate that did is still the one to come back to.
      if learned == nil || streak == 1 { top = before }
      fill(now)
      bottom = max(Self.slowest, min(before, learned ?? before) / 2)
      learned = bottom
      halved = now
      climbed = .zero
    }
    // Full jitter: machines that were throttled together do not come back together.
    var wait = min(Self.firstPause * (1 << min(max(streak, 1) - 1, 10)), Self.longestPause) * chance
    if let asked { wait = asked + min(wait, .milliseconds(500)) }
    pausedUntil = max(pausedUntil ?? .zero, now + wait)
  }

  /// Calls a second that were carried out lately; nil when none was.
  private var borne: Double? {
    if let measured { return measured }
    // The first ones come at once, which says little about a second.
    return successes == 0 ? nil : Double(successes) / max(measuring / .seconds(1), 0.1)
  }

  /// Counts time in which something was done, and in each second of it what the backend bore.
  private mutating func work(until now: Duration) -> Duration {
    // Whoever did nothing for long, because nobody wanted anything, has learned nothing from it.
    let time = max(.zero, min(now - (last ?? now), .seconds(1)))
    last = max(last ?? now, now)
    measuring += time
    // A second in which nothing got through is a pause that is too short, and no rate.
    if measuring >= .seconds(1), successes > 0 {
      measured = Double(successes) / (measuring / .seconds(1))
      measuring = .zero
      successes = 0
    }
    return time
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
