import Host
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

/// Writes the record of a run soon after each failure, so that `--last-failed` works after any kind of exit, and
/// completely at the end.
final class RecordKeeper: EventSink, Sendable {
  /// How long to collect further failures; a run without failures writes only at its end.
  private static let pause = Duration.seconds(1)

  let wantsExchanges = false
  private let masker = OutcomeBook()
  private let keep = Mutex<(@Sendable (OutcomeBook, _ isWhole: Bool) -> Void)?>(nil)
  private let failures = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Sets the function that writes the record; nothing is written before.
  func begin(_ keep: @escaping @Sendable (OutcomeBook, _ isWhole: Bool) -> Void) {
    self.keep.withLock { $0 = keep }
    Task.detached(priority: .utility) { [self] in
      for await _ in failures.stream {
        self.keep.withLock { $0?(masker, false) }
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  func take(_ event: RunEvent) {
    masker.take(event)
    if case .journeyResult(let result) = event.kind, result.outcome == .failed {
      failures.continuation.yield()
    }
  }

  func end() {
    failures.continuation.finish()
    keep.withLock { keep in
      keep?(masker, true)
      keep = nil
    }
  }
}
