/// The start times of journeys in an open load model: a steady rate, whether or not earlier ones have ended.
///
/// A journey that finds no free virtual user begins late. Its latency counts from when it was due; otherwise the
/// waiting that a slow backend causes would be missing from the figures (Gil Tene's "coordinated omission").
struct Arrivals: Sendable {
  /// Journeys per second.
  let rate: Double
  /// The total number of arrivals.
  let count: Int
  private var next = 0
  private static let mostGroups = 10_000

  /// Plans the arrivals of a run.
  ///
  /// - Parameters:
  ///   - rate: Journeys per second, above 0.
  ///   - duration: Milliseconds in which journeys become due, the first one at once.
  init(rate: Double, duration: Double) {
    self.rate = rate
    // The last arrival is due before the end, not at it. Subtracting 1e-9 keeps rounding errors from adding one.
    count = max(0, Int((duration / 1000 * rate - 1e-9).rounded(.up)))
  }

  /// Returns when an arrival is due, in milliseconds from the start.
  ///
  /// Computed from the index, so that rounding errors do not add up.
  func due(_ index: Int) -> Double { Double(index) / rate * 1000 }

  /// Returns the arrivals that were due before a time but that no user took, with how long each
  /// waited until then.
  ///
  /// `time` is in milliseconds from the start. The result has few groups, because a second may have
  /// a million arrivals.
  func left(at time: Double) -> [(number: UInt64, waited: Double)] {
    let due = min(count, max(0, Int((time / 1000 * rate).rounded(.up))))
    let size = max(1, (due - next) / Self.mostGroups)
    return stride(from: next, to: due, by: size).map { first in
      let last = min(first + size, due)
      return (UInt64(last - first), max(0, time - self.due(last - 1)))
    }
  }

  /// Takes the next arrival for a free user and returns when it is due.
  ///
  /// The time is in milliseconds from the start; nil when all arrivals are taken. It may lie in the
  /// future, so that only one user waits for it, or in the past.
  mutating func take() -> Double? {
    guard next < count else { return nil }
    defer { next += 1 }
    return due(next)
  }
}
