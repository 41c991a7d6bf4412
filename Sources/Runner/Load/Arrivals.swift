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

  /// How many were taken.
  public var taken: Int { next }

  /// Whether none is left.
  public var isOver: Bool { next >= count }

  /// Takes the next arrival if it is due, and tells how late it is.
  ///
  /// - Parameter now: Milliseconds from the start.
  public mutating func take(at now: Double) -> Taking {
    guard next < count else { return .over }
    let due = due(next)
    guard due <= now else { return .wait(due - now) }
    next += 1
    return .begin(lateness: now - due)
  }

  /// What a free virtual user is to do.
  public enum Taking: Sendable, Equatable {
    /// Begin a journey that was due so many milliseconds ago.
    case begin(lateness: Double)
    /// Ask again after so many milliseconds.
    case wait(Double)
    /// Stop: all have been taken.
    case over
  }
}
