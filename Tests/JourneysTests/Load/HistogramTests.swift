import Testing

@testable import Journeys
import System

@Suite(.timeLimit(.minutes(1))) struct HistogramTests {
  @Test func `percentiles are those of the sorted values, to three digits`() {
    var generator = SeededGenerator(seed: 11)
    var histogram = Histogram()
    // From microseconds to minutes.
    let values = (0..<20_000).map { _ in Double.random(in: -3...5, using: &generator) }
      .map { exponent in 10.power(exponent) }
    for value in values { histogram.record(value) }
    let sorted = values.sorted()
    for percentile in [1, 10, 50, 75, 90, 95, 99, 99.9, 99.99] {
      let exact = sorted[Int((percentile / 100 * Double(sorted.count)).rounded(.up)) - 1]
      let found = histogram.value(at: percentile)
      #expect(abs(found - exact) <= max(exact * 0.001, 0.0005), "p\(percentile)")
    }
    #expect(histogram.value(at: 0) == sorted.first)
    #expect(histogram.value(at: 100) == sorted.last)
    #expect(abs(histogram.mean - sorted.reduce(0, +) / 20_000) < 1e-6)
  }

  @Test func `extremes are counted, and change nothing else`() {
    var histogram = Histogram()
    for value in [-1, 0, .nan, .infinity, 1e300, 0.0004] { histogram.record(value) }
    #expect(histogram.count == 6)
    #expect(histogram.shortest == 0)
    #expect(histogram.value(at: 50) <= 0.001)
    #expect(histogram.value(at: 100) == 1e300)
    #expect(Histogram().value(at: 99) == 0)
    #expect(Histogram().mean == 0)
    #expect(Histogram().bars.isEmpty)
  }

  @Test func `bars ascend and hold all`() {
    var histogram = Histogram()
    for value in stride(from: 0.001, to: 5000, by: 0.77) { histogram.record(value) }
    let bars = histogram.bars
    #expect(bars.map(\.upTo) == bars.map(\.upTo).sorted())
    #expect(bars.reduce(0) { $0 + $1.count } == histogram.count)
  }
}

extension Double {
  /// Ten to the power of an exponent, without Foundation's help.
  fileprivate func power(_ exponent: Double) -> Double {
    var result = 1.0
    var rest = exponent
    while rest >= 1 {
      result *= self
      rest -= 1
    }
    while rest < 0 {
      result /= self
      rest += 1
    }
    return result * (1 + 9 * rest)
  }
}
