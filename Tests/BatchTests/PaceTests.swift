import Batch
import Testing

@Suite struct PaceTests {
  private func calls(_ pace: inout Pace, from start: Duration, for time: Duration) -> Int {
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
    var pace = Pace(limit: 50)
    let count = calls(&pace, from: .zero, for: .seconds(10))
    #expect((495...506).contains(count))
  }

  @Test func `without a limit and throttling nothing waits`() {
    var pace = Pace()
    for number in 0..<1000 { #expect(pace.take(at: .microseconds(number)) == nil) }
    #expect(pace.rate == nil)
  }

  @Test func `throttling halves the rate, once for calls that were under way together`() {
    var pace = Pace(limit: 100)
    for _ in 0..<30 { pace.throttled(after: nil, at: .seconds(5), chance: 0.5) }
    #expect(pace.learned == 50)
    #expect(pace.throttles == 30)
    pace.throttled(after: nil, at: .seconds(7), chance: 0.5)
    #expect(pace.learned == 25)
  }

  @Test func `each second without throttling adds a little, up to the limit`() {
    var pace = Pace(limit: 100)
    pace.throttled(after: nil, at: .seconds(1), chance: 0)
    _ = calls(&pace, from: .seconds(1), for: .seconds(3))
    let learned = pace.learned ?? 0
    #expect(learned > 55 && learned < 75)
    _ = calls(&pace, from: .seconds(4), for: .seconds(20))
    #expect(pace.learned == nil)
    #expect(pace.rate == 100)
  }

  @Test func `Retry-After wins over what would be waited`() {
    var pace = Pace()
    pace.throttled(after: .seconds(30), at: .seconds(1), chance: 0)
    #expect(pace.take(at: .seconds(2)) == .seconds(29))
    // A shorter one does not cut it off.
    pace.throttled(after: .seconds(1), at: .seconds(2), chance: 0)
    #expect(pace.pause(at: .seconds(2)) == .seconds(29))
    #expect(pace.take(at: .seconds(31)) == nil)
  }

  @Test func `pauses grow while nothing gets through, and never beyond a minute`() {
    var pace = Pace(limit: 100)
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
    #expect(pace.rate == Pace.slowest)
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
    for text in ["", "-1", "x", "101%", "%", "1.5"] { #expect(ErrorBudget(text) == nil) }
    #expect(!ErrorBudget.count(0).isSpent(failed: 0, of: 10))
    #expect(ErrorBudget.count(0).isSpent(failed: 1, of: 1))
    #expect(!ErrorBudget.percent(1).isSpent(failed: 50, of: 99))
    #expect(ErrorBudget.percent(1).isSpent(failed: 2, of: 100))
    #expect(!ErrorBudget.percent(1).isSpent(failed: 1, of: 100))
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
