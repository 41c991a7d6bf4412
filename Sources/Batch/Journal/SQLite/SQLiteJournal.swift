/// A journal in one SQLite file, which one process at a time can have.
///
/// The file is its owner's alone and locked while it is open. The lock ends with the process, whatever ends
/// it, so that nothing ever has to be freed by hand. Do not open the file in any other way meanwhile: closing
/// it would give up the lock (fcntl_locking(2)).
public final class SQLiteJournal: QueuedJournal {
  /// The plan that the journal belongs to.
  public let header: PlanHeader
  /// What the person should know about who can read the file; nil when all is well.
  public let warning: String?
  let queue: JournalQueue<SQLiteTables>

  init(_ queue: JournalQueue<SQLiteTables>, _ meta: JournalMeta, warning: String?) {
    self.queue = queue
    self.warning = warning
    header = meta.header
  }

  /// Writes what was noted and gives the file up.
  public func close() async {
    await queue.close()
  }
}
