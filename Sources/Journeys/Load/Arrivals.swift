import Synchronization

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

/// The state shared by all virtual users: time, arrivals and counts.
final class LoadClock: Sendable {
  private struct State {
    var tally = LoadTally()
    var arrivals: Arrivals?
    var began: ContinuousClock.Instant?
    /// When the run was stopped early, in milliseconds since the start.
    var stopped: Double?
  }

  private let duration: Double
  private let state: Mutex<State>

  init(_ plan: LoadPlan) {
    duration = plan.duration
    state = Mutex(
      State(arrivals: plan.rate.map { Arrivals(rate: $0, duration: plan.duration) }))
  }

  /// Milliseconds since the start; 0 before it.
  var now: Double {
    state.withLock(\.began).map { EventHub.milliseconds($0.duration(to: .now)) } ?? 0
  }

  /// Starts the clock; later calls have no effect.
  func start() { state.withLock { $0.began = $0.began ?? .now } }

  /// Stops the run: no further journey begins.
  func stop() {
    let now = now
    state.withLock { $0.stopped = $0.stopped ?? now }
  }

  var wasStopped: Bool { state.withLock { $0.stopped != nil } }

  var tally: LoadTally { state.withLock(\.tally) }

  /// Counts arrivals that no user took in time.
  ///
  /// Call it after the last journey has ended.
  func settle() {
    state.withLock { state in
      for (number, waited) in state.arrivals?.left(at: state.stopped ?? duration) ?? [] {
        state.tally.drop(number, waited: waited)
      }
    }
  }

  func count(_ body: (inout LoadTally) -> Void) { state.withLock { body(&$0.tally) } }

  /// Returns when a free user is to begin its next journey, in milliseconds since the start.
  ///
  /// Nil means never.
  func next() -> Double? {
    let now = now
    return state.withLock { state in
      // A user that becomes free after the end takes no arrival, so that `settle` counts it.
      guard state.stopped == nil, now < duration else { return nil }
      return state.arrivals == nil ? now : state.arrivals?.take()
    }
  }
}
