import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct ArrivalsTests {
  @Test func `arrivals are due at a steady rate, the first at once`() {
    var arrivals = Arrivals(rate: 50, duration: 100)
    #expect(arrivals.count == 5)
    #expect((0..<6).map { _ in arrivals.take() } == [0, 20, 40, 60, 80, nil])
  }

  @Test func `who comes late takes what was due first, and no arrival is left out`() {
    var arrivals = Arrivals(rate: 100, duration: 1000)
    var lateness: [Double] = []
    // The only user is held up for 55 ms each time.
    var now = 0.0
    while let due = arrivals.take() {
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
    #expect(Arrivals(rate: rate, duration: duration).count == count)
  }

  @Test func `those that nobody took waited until the end, also a million of them`() {
    var few = Arrivals(rate: 10, duration: 1000)
    _ = few.take()
    #expect(few.left(at: 450).map(\.number) == [1, 1, 1, 1])
    #expect(few.left(at: 450).map(\.waited) == [350, 250, 150, 50])
    let many = Arrivals(rate: 1e6, duration: 1000).left(at: 1000)
    #expect(many.count <= 10_001)
    #expect(many.reduce(0) { $0 + $1.number } == 1_000_000)
    #expect(many.allSatisfy { $0.waited >= 0 && $0.waited <= 1000 })
  }

  @Test func `the millionth is due when it should be`() {
    let arrivals = Arrivals(rate: 300, duration: 4_000_000)
    #expect(arrivals.due(900_000) == 3_000_000)
  }
}
