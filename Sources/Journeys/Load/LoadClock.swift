import Synchronization

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
