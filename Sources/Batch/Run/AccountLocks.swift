import Encoding

/// Keeps two rows from working on one account at a time: rows get their accounts in the order they asked.
///
/// A row stands in the queues of all its accounts from one moment on, so that no two rows wait for each other.
/// Lives on one thread.
final class AccountLocks {
  private var queues: [ExactString: [Int64]] = [:]
  /// How many accounts a row still waits for, and who is to be told.
  private var missing: [Int64: Int] = [:]
  private var waiters: [Int64: CheckedContinuation<Void, Never>] = [:]

  /// Gets in line for accounts.
  func enqueue(_ row: Int64, _ uids: Set<ExactString>) {
    var count = 0
    for uid in uids {
      queues[uid, default: []].append(row)
      if queues[uid]?.count ?? 0 > 1 { count += 1 }
    }
    if count > 0 { missing[row] = count }
  }

  /// Waits until the row has all its accounts.
  func wait(for row: Int64) async {
    guard missing[row] != nil else { return }
    await withCheckedContinuation { waiters[row] = $0 }
  }

  /// Gives the accounts of a row to whoever is next.
  func release(_ row: Int64, _ uids: Set<ExactString>) {
    for uid in uids {
      guard var queue = queues[uid] else { continue }
      let wasFirst = queue.first == row
      queue.removeAll { $0 == row }
      queues[uid] = queue.isEmpty ? nil : queue
      guard wasFirst, let next = queue.first, let count = missing[next] else { continue }
      missing[next] = count == 1 ? nil : count - 1
      if count == 1 { waiters.removeValue(forKey: next)?.resume() }
    }
  }
}
