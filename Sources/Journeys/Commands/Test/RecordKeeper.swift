import Host
import Synchronization

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
