@testable import Batch
import System
import Testing

@Suite struct RateLimiterTests {
  private func calls(_ pace: inout RateLimiter, from start: Duration, for time: Duration) -> Int {
    var now = start
    var count = 0
    while now < start + time {
      if let wait = pace.take(at: now) {
        now += max(wait, .microseconds(1))
      } else {
        count += 1
        pace.succeeded(at: now)
      }
    }
    return count
  }

  @Test func `a limit is kept`() {
    var pace = RateLimiter(limit: 50)
    let count = calls(&pace, from: .zero, for: .seconds(10))
    #expect((495...506).contains(count))
  }

  @Test func `without a limit and throttling nothing waits`() {
    var pace = RateLimiter()
    for number in 0..<1000 { #expect(pace.take(at: .microseconds(number)) == nil) }
    #expect(pace.rate == nil)
  }

  @Test func `throttling halves the rate, once for calls that were under way together`() {
    var pace = RateLimiter(limit: 100)
    for _ in 0..<30 { pace.throttled(after: nil, at: .seconds(5), chance: 0.5) }
    #expect(pace.learned == 50)
    #expect(pace.throttles == 30)
    pace.throttled(after: nil, at: .seconds(7), chance: 0.5)
    #expect(pace.learned == 25)
  }

  @Test func `the rate climbs back fast at first, and slowly near what was throttled`() {
    var pace = RateLimiter(limit: 100)
    pace.throttled(after: nil, at: .seconds(1), chance: 0)
    var rates: [Double] = []
    for second in 1...4 {
      _ = calls(&pace, from: .seconds(second), for: .seconds(1))
      rates.append(pace.learned ?? 0)
    }
    #expect(zip(rates, rates.dropFirst()).allSatisfy { $0 < $1 })
    #expect((70...80).contains(rates[0]))
    #expect(rates[1] - rates[0] > 2 * (rates[3] - rates[2]))
    #expect((98...100).contains(rates[3]))
    _ = calls(&pace, from: .seconds(5), for: .seconds(2))
    #expect(pace.learned == nil)
    #expect(pace.rate == 100)
  }

  @Test func `without a limit the rate is forgotten once twice as much works`() {
    var pace = RateLimiter()
    var now = pass(&pace, from: .zero, for: .seconds(3), rate: 200)
    pace.throttled(after: nil, at: now, chance: 0)
    #expect((95...105).contains(pace.learned ?? 0))
    now = pass(&pace, from: now, for: .seconds(10), rate: 1000)
    #expect((250...400).contains(pace.learned ?? 0))
    _ = pass(&pace, from: now, for: .seconds(2), rate: 1000)
    #expect(pace.learned == nil)
  }

  @Test func `what is throttled in the first moment leaves no crawl`() {
    var pace = RateLimiter()
    for _ in 0..<64 { #expect(pace.take(at: .zero) == nil) }
    for _ in 0..<10 { pace.succeeded(at: .milliseconds(20)) }
    pace.throttled(after: nil, at: .milliseconds(20), chance: 0)
    #expect(pace.learned == 50)
    var refused = RateLimiter()
    for _ in 0..<64 { #expect(refused.take(at: .zero) == nil) }
    refused.throttled(after: nil, at: .milliseconds(20), chance: 0)
    #expect(refused.learned == 32)
  }

  @Test func `time in which nothing was tried raises no rate`() {
    var pace = RateLimiter()
    let now = pass(&pace, from: .zero, for: .seconds(2), rate: 100)
    pace.throttled(after: .seconds(600), at: now, chance: 0)
    #expect(pace.take(at: now + .seconds(601)) == nil)
    pace.succeeded(at: now + .seconds(601))
    #expect((45...55).contains(pace.learned ?? 0))
    // An hour in which a person has paused the run.
    pace.succeeded(at: now + .seconds(4201))
    #expect((45...80).contains(pace.learned ?? 0))
  }

  @Test func `after an outage the rate comes back to what worked before it`() {
    var pace = RateLimiter()
    var now = pass(&pace, from: .zero, for: .seconds(3), rate: 300)
    for _ in 0..<8 {
      pace.throttled(after: nil, at: now, chance: 0.9)
      now += max(pace.pause(at: now) ?? .zero, .seconds(1)) + .milliseconds(1)
    }
    #expect(pace.rate ?? 0 < 2)
    now = pass(&pace, from: now, for: .seconds(7), rate: 400)
    #expect((290...320).contains(pace.rate ?? 0))
  }

  @Test(arguments: [(rate: 10.0, burst: 10.0), (100, 10), (300, 300)])
  func `a quota is used up by four fifths, and seldom met`(rate: Double, burst: Double) {
    var pace = RateLimiter()
    var tokens = burst
    var (now, last) = (Duration.zero, Duration.zero)
    var (done, refused) = (0, 0)
    var random = SeededGenerator(seed: 11)
    while now < .seconds(120) {
      // As with 32 calls of 50 ms under way.
      now += .microseconds(1560)
      if let wait = pace.take(at: now) {
        now += wait
        continue
      }
      tokens = min(burst, tokens + rate * ((now - last) / .seconds(1)))
      last = now
      if tokens >= 1 {
        tokens -= 1
        done += 1
        pace.succeeded(at: now)
      } else {
        refused += 1
        pace.throttled(after: nil, at: now, chance: .random(in: 0..<1, using: &random))
      }
    }
    #expect(Double(done) > 0.8 * 120 * rate)
    #expect(refused < 60)
  }

  /// A simulated minute of calls of 50 ms that a backend throttles; the calls that succeeded, and the last rate.
  private func minute(
    limit: Double, after asked: Duration? = nil, isThrottled: (Duration) -> Bool
  ) -> (done: Int, rate: Double) {
    var pace = RateLimiter(limit: limit)
    var random = SeededGenerator(seed: 7)
    var now = Duration.zero
    var done = 0
    while now < .seconds(60) {
      if let wait = pace.take(at: now) {
        now += max(wait, .microseconds(10))
      } else if isThrottled(now) {
        pace.throttled(after: asked, at: now, chance: .random(in: 0..<1, using: &random))
      } else {
        pace.succeeded(at: now)
        done += 1
      }
    }
    return (done, pace.rate ?? .infinity)
  }

  /// The share of throttled calls, and the share of the possible calls that succeed at least: it takes a while to find out
  /// that few are throttled at random.
  @Test(arguments: [(0.002, 0.4), (0.01, 0.7), (0.03, 0.7)], [nil, Duration.seconds(1)])
  func `calls that are throttled at random do not slow the others down`(
    _ shares: (throttled: Double, done: Double), _ asked: Duration?
  ) {
    for seed in 1...20 {
      var random = SeededGenerator(seed: UInt64(seed))
      let end = minute(limit: 240, after: asked) { _ in
        .random(in: 0..<1, using: &random) < shares.throttled
      }
      #expect(Double(end.done) > 240 * 60 * shares.done, "seed \(seed)")
    }
  }

  @Test func `a quota that shrinks is respected after throttling at random`() {
    var random = SeededGenerator(seed: 3)
    var (tokens, last, refused) = (10.0, Duration.seconds(30), 0)
    let end = minute(limit: 240) { now in
      guard now > .seconds(30) else { return .random(in: 0..<1, using: &random) < 0.02 }
      tokens = min(10, tokens + 40 * ((now - last) / .seconds(1)))
      last = now
      if tokens >= 1 { tokens -= 1; return false }
      refused += 1
      return true
    }
    #expect(end.rate < 80)
    #expect(refused < 300)
  }

  @Test func `throttling leads to no rate below the lowest one`() {
    var pace = RateLimiter(limit: 100, slowest: 20)
    for second in 1...9 { pace.throttled(after: nil, at: .seconds(70 * second), chance: 0) }
    #expect(pace.learned == 20)
  }

  @Test func `the time left follows the limits`() {
    var status = BatchStatus()
    status.tally.rows = [.waiting: 1000]
    (status.rate, status.rowRate) = (100, 50)
    #expect(status.secondsLeft == 20)
    status.limit = 200
    #expect(status.secondsLeft == 20)
    status.learned = 25
    #expect(status.secondsLeft == 80)
    status.limit = 10
    #expect(status.secondsLeft == 200)
  }

  /// Carries calls out, at most so many a second.
  private func pass(
    _ pace: inout RateLimiter, from start: Duration, for time: Duration, rate: Int
  ) -> Duration {
    var now = start
    while now < start + time {
      if let wait = pace.take(at: now) {
        now += max(wait, .microseconds(1))
      } else {
        now += .seconds(1) / rate
        pace.succeeded(at: now)
      }
    }
    return now
  }

  @Test func `Retry-After wins over what would be waited`() {
    var pace = RateLimiter()
    pace.throttled(after: .seconds(30), at: .seconds(1), chance: 0)
    #expect(pace.take(at: .seconds(2)) == .seconds(29))
    // A shorter one does not cut it off.
    pace.throttled(after: .seconds(1), at: .seconds(2), chance: 0)
    #expect(pace.pause(at: .seconds(2)) == .seconds(29))
    #expect(pace.take(at: .seconds(31)) == nil)
  }

  @Test func `pauses grow while nothing gets through, and never beyond a minute`() {
    var pace = RateLimiter(limit: 100)
    var now = Duration.seconds(1)
    var pauses: [Duration] = []
    for _ in 0..<12 {
      pace.throttled(after: nil, at: now, chance: 0.999)
      let pause = pace.pause(at: now) ?? .zero
      pauses.append(pause)
      now += max(pause, .seconds(1)) + .milliseconds(1)
    }
    #expect(pauses[1] > pauses[0])
    #expect(pauses.allSatisfy { $0 <= .seconds(60) })
    #expect(pauses.last ?? .zero > .seconds(30))
    #expect(pace.rate == RateLimiter.slowest)
  }

  @Test func `a step is tried as often as is allowed, and waits longer each time`() {
    var tries = Tries(most: 4)
    #expect(tries.next(chance: 0.5) == .milliseconds(100))
    #expect(tries.next(chance: 0.5) == .milliseconds(200))
    #expect(tries.next(chance: 0.5) == .milliseconds(400))
    #expect(tries.next(chance: 0.5) == nil)
  }

  @Test func `an error budget is a number or a percentage`() {
    #expect(ErrorBudget("5") == .count(5))
    #expect(ErrorBudget("1.5%") == .percent(1.5))
    #expect(ErrorBudget("off") == .unlimited)
    for text in ["", "-1", "x", "101%", "%", "1.5", "Off"] { #expect(ErrorBudget(text) == nil) }
    #expect(!ErrorBudget.count(0).isSpent(failed: 0, of: 10))
    #expect(ErrorBudget.count(0).isSpent(failed: 1, of: 1))
    #expect(!ErrorBudget.percent(1).isSpent(failed: 50, of: 99))
    #expect(ErrorBudget.percent(1).isSpent(failed: 2, of: 100))
    #expect(!ErrorBudget.percent(1).isSpent(failed: 1, of: 100))
    #expect(!ErrorBudget.standard.isSpent(failed: 20, of: 20))
    #expect(ErrorBudget.standard.isSpent(failed: 21, of: 21))
    #expect(!ErrorBudget.standard.isSpent(failed: 50, of: 1000))
    #expect(ErrorBudget.standard.isSpent(failed: 51, of: 1000))
  }

  @Test func `controls are read from words`() {
    #expect(BatchControl("pause") == .pause)
    #expect(BatchControl("rate=2.5") == .rate(2.5))
    #expect(BatchControl("rate=off") == .rate(nil))
    #expect(BatchControl("concurrency=32") == .concurrency(32))
    for text in ["", "stop", "rate=", "rate=0", "rate=x", "concurrency=0", "pause=1"] {
      #expect(BatchControl(text) == nil)
    }
  }
}
