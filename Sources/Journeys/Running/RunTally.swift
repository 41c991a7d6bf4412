import Synchronization

/// The results of a run so far, and whether it goes on.
final class RunTally: Sendable {
  struct State {
    var counts: [JourneyOutcome: Int] = [:]
    /// The ids of the journeys that have an outcome.
    var ended: Set<String> = []
    /// Loaded files that have failures outside of journeys.
    var brokenFiles = 0
    var unloadedFiles = 0
    var wasInterrupted = false
    var maximumFailures: Int?

    var hasFailed: Bool { counts[.failed, default: 0] > 0 || brokenFiles > 0 }
  }

  private let state: Mutex<State>

  init(maximumFailures: Int?) { state = Mutex(State(maximumFailures: maximumFailures)) }

  var now: State { state.withLock { $0 } }

  /// Whether no further journey may begin.
  var isOver: Bool {
    state.withLock { state in
      state.wasInterrupted
        || state.maximumFailures.map { state.counts[.failed, default: 0] >= $0 } ?? false
    }
  }

  var wasInterrupted: Bool { state.withLock(\.wasInterrupted) }

  func interrupt() { state.withLock { $0.wasInterrupted = true } }

  func count(_ outcome: JourneyOutcome, of journey: String) {
    state.withLock { state in
      state.counts[outcome, default: 0] += 1
      state.ended.insert(journey)
    }
  }

  func countFile(isLoaded: Bool) {
    state.withLock { state in
      if isLoaded { state.brokenFiles += 1 } else { state.unloadedFiles += 1 }
    }
  }
}
