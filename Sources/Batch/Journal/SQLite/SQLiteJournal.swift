/// A journal in one SQLite file, which only one process at a time can open.
///
/// Only the owner can access the file, and it is locked while it is open. The lock ends with the process, so it never
/// has to be removed manually. Do not open the file in any other way meanwhile: closing it would release the lock
/// (fcntl_locking(2)).
final class SQLiteJournal: QueuedJournal {
  /// The header of the journal's plan.
  let header: PlanHeader
  /// A warning that other users can read the file; nil when they cannot.
  let warning: String?
  let queue: JournalQueue<SQLiteTables>

  init(_ queue: JournalQueue<SQLiteTables>, _ meta: JournalMeta, warning: String?) {
    self.queue = queue
    self.warning = warning
    header = meta.header
  }

  /// Writes the recorded outcomes and closes the file.
  func close() async {
    await queue.close()
  }
}
