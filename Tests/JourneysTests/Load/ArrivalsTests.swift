import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct ArrivalsTests {
  private static func arrivals(_ rate: Double, _ duration: Double) -> Arrivals {
    Arrivals(LoadShape(constant: rate, for: duration))
  }

  @Test func `arrivals are due at a steady rate, the first at once`() {
    var arrivals = Self.arrivals(50, 100)
    #expect(arrivals.count == 5)
    #expect((0..<6).map { _ in arrivals.take()?.due } == [0, 20, 40, 60, 80, nil])
  }

  @Test func `who comes late takes what was due first, and no arrival is left out`() {
    var arrivals = Self.arrivals(100, 1000)
    var lateness: [Double] = []
    // The only user is held up for 55 ms each time.
    var now = 0.0
    while let due = arrivals.take()?.due {
      lateness.append(now - due)
      now += 55
    }
    #expect(lateness.count == 100)
    #expect(lateness.prefix(2) == [0, 45])
    #expect(lateness.last.map { abs($0 - 99 * 45) < 1e-6 } == true)
  }

  @Test(
    arguments: [
      (10, 1000, 10), (10, 950, 10), (3, 1000, 3), (0.1, 30_000, 3), (1000, 0, 0), (0.5, 100, 1),
      (7, 3000, 21), (1e4, 1.0, 10),
    ])
  func `as many come as the rate says`(rate: Double, duration: Double, count: Int) {
    #expect(Self.arrivals(rate, duration).count == count)
  }

  @Test func `those that nobody took waited until the end, also a million of them`() {
    var few = Self.arrivals(10, 1000)
    _ = few.take()
    #expect(few.left(at: 450).map(\.number) == [1, 1, 1, 1])
    #expect(few.left(at: 450).map(\.waited) == [350, 250, 150, 50])
    let many = Self.arrivals(1e6, 1000).left(at: 1000)
    #expect(many.count <= 10_001)
    #expect(many.reduce(0) { $0 + $1.number } == 1_000_000)
    #expect(many.allSatisfy { $0.waited >= 0 && $0.waited <= 1000 })
  }

  @Test func `the millionth is due when it should be`() {
    #expect(LoadShape(constant: 300, for: 4_000_000).due(900_000) == 3_000_000)
  }

  @Test func `what was due in the warm-up is not counted as left`() {
    let few = Self.arrivals(10, 1000)
    #expect(few.left(at: 1000, after: 450).map(\.waited) == [500, 400, 300, 200, 100])
    #expect(few.left(at: 300, after: 450).isEmpty)
  }

  @Test func `an arrival is late when nobody took it in time`() {
    var few = Self.arrivals(10, 300)
    #expect(few.isLate(at: 1) && !few.isLate(at: 0))
    for _ in 0..<3 {
      #expect(few.isLate(at: 201))
      _ = few.take()
    }
    #expect(!few.isLate(at: 201))
  }
}
