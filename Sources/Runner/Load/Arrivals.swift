/// When journeys of an open model are due: one after the other at a steady rate, whether or not
/// earlier ones have ended.
///
/// A journey that finds no free virtual user begins late. Its latencies count from when it was due,
/// or the waiting that a slow backend causes would not be seen: that omission Gil Tene called
/// coordinated.
public struct Arrivals: Sendable {
  /// Journeys a second.
  public let rate: Double
  /// How many become due in all.
  public let count: Int
  private var next = 0
  private static let mostGroups = 10_000

  /// Plans the arrivals of a run.
  ///
  /// - Parameters:
  ///   - rate: Journeys a second, above 0.
  ///   - duration: Milliseconds in which journeys become due, the first one at once.
  public init(rate: Double, duration: Double) {
    self.rate = rate
    // The last one is due before the end, not at it. Rounding must not make one more of whole ones.
    count = max(0, Int((duration / 1000 * rate - 1e-9).rounded(.up)))
  }

  /// When an arrival is due, in milliseconds from the start.
  ///
  /// From its number, so that errors of rounding do not add up.
  public func due(_ index: Int) -> Double { Double(index) / rate * 1000 }

  /// Those that nobody took although they were due before a time, in milliseconds from the start, with how
  /// long each waited until then: in few groups, as a second may have a million of them.
  func left(at time: Double) -> [(number: UInt64, waited: Double)] {
    let due = min(count, max(0, Int((time / 1000 * rate).rounded(.up))))
    let size = max(1, (due - next) / Self.mostGroups)
    return stride(from: next, to: due, by: size).map { first in
      let last = min(first + size, due)
      return (UInt64(last - first), max(0, time - self.due(last - 1)))
    }
  }

  /// Takes the next arrival for a user who is free, and tells when it is due, in milliseconds from
  /// the start; nil when all are taken.
  ///
  /// It may be due later, so that only one user waits for it, or have been due long ago.
  public mutating func take() -> Double? {
    guard next < count else { return nil }
    defer { next += 1 }
    return due(next)
  }
}
