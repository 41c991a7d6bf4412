import Synchronization

/// A time in which a journal that machines share cannot be reached.
public struct JournalOutage: Sendable, Equatable {
  /// When it was missed first, in milliseconds since 1970.
  public let since: Int64
  /// Until when it is tried before the run ends, in milliseconds since 1970.
  public let until: Int64

  /// Describes an outage.
  public init(since: Int64, until: Int64) {
    self.since = since
    self.until = until
  }
}

/// The outage that goes on, for those who show it; its journal's thread is busy with trying.
final class OutageWatch: Sendable {
  private let outage = Mutex<JournalOutage?>(nil)

  var current: JournalOutage? { outage.withLock { $0 } }

  func begin(_ patience: Duration) {
    let now = wallClock()
    outage.withLock {
      $0 = JournalOutage(since: now, until: now + Int64(patience / .milliseconds(1)))
    }
  }

  func end() { outage.withLock { $0 = nil } }
}
