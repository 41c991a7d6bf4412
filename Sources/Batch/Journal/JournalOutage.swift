import System

import Synchronization

/// A time in which the server of a shared journal cannot be reached.
struct JournalOutage: Sendable, Equatable {
  /// The start of the outage, in milliseconds since 1970.
  let since: Int64
  /// When the run gives up and ends, in milliseconds since 1970.
  let until: Int64
}

/// The current outage, for other threads to read while the journal's thread is busy reconnecting.
final class OutageWatch: Sendable {
  private let outage = Mutex<JournalOutage?>(nil)

  var current: JournalOutage? { outage.withLock { $0 } }

  func begin(_ patience: Duration) {
    let now = Timestamp.now
    outage.withLock {
      $0 = JournalOutage(since: now, until: now + Int64(patience / .milliseconds(1)))
    }
  }

  func end() { outage.withLock { $0 = nil } }
}
