import Synchronization

/// Notes from the events of a run what came of each journey, and how long it took.
public final class OutcomeBook: EventSink, Sendable {
  struct Entry: Sendable {
    var hasFailed: Bool
    /// Milliseconds of the last attempt.
    var duration: Double
  }

  private struct Pages {
    var durations: [String: Double] = [:]
    var entries: [String: Entry] = [:]
  }

  private let pages = Mutex(Pages())

  /// Makes an empty book.
  public init() {}

  /// Exchanges say nothing of how journeys end.
  public var wantsExchanges: Bool { false }

  /// What is known of the journeys that ran to their end, by their ids.
  var entries: [String: Entry] { pages.withLock(\.entries) }

  /// Takes note of how journeys end.
  public func take(_ event: RunEvent) {
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

  /// Nothing is left to do.
  public func end() {}
}
