/// The start times of journeys in an open load model, whether or not earlier ones have ended.
///
/// A journey that finds no free virtual user begins late. Its latency counts from when it was due; otherwise the
/// waiting that a slow backend causes would be missing from the figures (Gil Tene's "coordinated omission").
struct Arrivals: Sendable {
  private let shape: LoadShape
  /// The total number of arrivals.
  let count: Int
  private var next = 0
  private static let mostGroups = 10_000

  /// Plans the arrivals of a run.
  ///
  /// - Parameter shape: Journeys per second.
  init(_ shape: LoadShape) {
    self.shape = shape
    count = shape.count
  }

  /// Returns the arrivals that were due before a time but that no user took, with how long each
  /// waited until then.
  ///
  /// The result has few groups, because a second may have a million arrivals.
  ///
  /// - Parameters:
  ///   - time: Milliseconds from the start.
  ///   - warmUp: Leaves out what was due before this time.
  func left(at time: Double, after warmUp: Double = 0) -> [(number: UInt64, waited: Double)] {
    let first = max(next, shape.count(before: warmUp))
    let due = shape.count(before: time)
    guard first < due else { return [] }
    let size = max(1, (due - first) / Self.mostGroups)
    return stride(from: first, to: due, by: size).map { first in
      let last = min(first + size, due)
      return (UInt64(last - first), max(0, time - (shape.due(last - 1) ?? time)))
    }
  }

  /// Whether an arrival was due before a time, and no user has taken it.
  func isLate(at time: Double) -> Bool { shape.due(next).map { $0 < time } ?? false }

  /// Takes the next arrival for a free user and returns when it is due.
  ///
  /// The time is in milliseconds from the start; nil when all arrivals are taken. It may lie in the
  /// future, so that only one user waits for it, or in the past.
  mutating func take() -> Double? {
    guard next < count, let due = shape.due(next) else { return nil }
    next += 1
    return due
  }
}
