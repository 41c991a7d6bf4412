import Synchronization

/// What virtual users share: the time, the journeys that are due, and what was counted.
final class LoadClock: Sendable {
  private struct State {
    var tally = LoadTally()
    var arrivals: Arrivals?
    var began: ContinuousClock.Instant?
    /// When it was stopped before its time, in milliseconds since the start.
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

  /// Begins the time, once.
  func start() { state.withLock { $0.began = $0.began ?? .now } }

  /// Lets no other journey begin.
  func stop() {
    let now = now
    state.withLock { $0.stopped = $0.stopped ?? now }
  }

  var wasStopped: Bool { state.withLock { $0.stopped != nil } }

  var tally: LoadTally { state.withLock(\.tally) }

  /// Counts the arrivals that nobody took in time, once the last journey has ended.
  func settle() {
    state.withLock { state in
      for (number, waited) in state.arrivals?.left(at: state.stopped ?? duration) ?? [] {
        state.tally.drop(number, waited: waited)
      }
    }
  }

  func count(_ body: (inout LoadTally) -> Void) { state.withLock { body(&$0.tally) } }

  /// When a free user is to begin the next journey, in milliseconds since the start; nil for never.
  func next() -> Double? {
    let now = now
    return state.withLock { state in
      // Whoever is free only after the end leaves what was due to the report.
      guard state.stopped == nil, now < duration else { return nil }
      return state.arrivals == nil ? now : state.arrivals?.take()
    }
  }
}
