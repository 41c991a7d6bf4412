import Synchronization

/// Records the outcome and duration of each journey from the events of a run.
final class OutcomeBook: EventSink, Sendable {
  struct Entry: Sendable {
    var hasFailed: Bool
    /// The duration of the last attempt in milliseconds.
    var duration: Double
  }

  private struct Pages {
    var durations: [String: Double] = [:]
    var entries: [String: Entry] = [:]
  }

  private let pages = Mutex(Pages())

  /// Creates an empty book.
  init() {}

  /// False, because exchanges do not affect outcomes.
  var wantsExchanges: Bool { false }

  /// The journeys that ran to their end, by id.
  var entries: [String: Entry] { pages.withLock(\.entries) }

  /// Records the end of a journey.
  func take(_ event: RunEvent) {
    guard let journey = event.place?.journey else { return }
    switch event.kind {
    case .journeyEnd(let end): pages.withLock { $0.durations[journey] = end.duration }
    case .journeyResult(let result): note(result.outcome, journey)
    default: break
    }
  }

  private func note(_ outcome: JourneyOutcome, _ journey: String) {
    switch outcome {
    case .passed, .flaky, .failed:
      pages.withLock { pages in
        pages.entries[journey] = Entry(
          hasFailed: outcome == .failed, duration: pages.durations[journey] ?? 0)
      }
    case .skipped, .pending, .interrupted: break
    }
  }

  /// Does nothing.
  func end() {}
}
