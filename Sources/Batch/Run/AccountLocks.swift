import System

/// Lets only one row at a time work on an account; rows wait in the order of their requests.
///
/// A row enters the queues of all its accounts at once, so that two rows cannot wait for each other (no deadlock).
/// Confined to one thread.
final class AccountLocks {
  private var queues: [ExactString: [Int64]] = [:]
  /// The number of accounts a row still waits for, and the continuation to resume then.
  private var missing: [Int64: Int] = [:]
  private var waiters: [Int64: CheckedContinuation<Void, Never>] = [:]

  /// Adds a row to the queues of its accounts, each of which is given once.
  func enqueue(_ row: Int64, _ uids: [ExactString]) {
    var count = 0
    for uid in uids {
      queues[uid, default: []].append(row)
      if queues[uid]?.count ?? 0 > 1 { count += 1 }
    }
    if count > 0 { missing[row] = count }
  }

  /// Whether the row does not have all its accounts yet.
  func mustWait(_ row: Int64) -> Bool { missing[row] != nil }

  /// Waits until the row has all its accounts; call it only if it must wait.
  func wait(for row: Int64) async {
    await withCheckedContinuation { waiters[row] = $0 }
  }

  /// Releases the accounts of a row, and resumes rows that now have all of theirs.
  func release(_ row: Int64, _ uids: [ExactString]) {
    for uid in uids {
      guard var queue = queues[uid] else { continue }
      if queue == [row] {
        queues[uid] = nil
        continue
      }
      let wasFirst = queue.first == row
      queue.removeAll { $0 == row }
      queues[uid] = queue.isEmpty ? nil : queue
      guard wasFirst, let next = queue.first, let count = missing[next] else { continue }
      missing[next] = count == 1 ? nil : count - 1
      if count == 1 { waiters.removeValue(forKey: next)?.resume() }
    }
  }
}
