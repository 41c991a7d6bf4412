import Journal

/// A journal in one SQLite file, which one process at a time can have.
///
/// The file is its owner's alone and locked while it is open. The lock ends with the process, whatever ends
/// it, so that nothing ever has to be freed by hand. Do not open the file in any other way meanwhile: closing
/// it would give up the lock (fcntl_locking(2)).
public final class SQLiteJournal: BatchJournal {
  /// The plan that the journal belongs to.
  public let header: PlanHeader
  /// SHA-256 of the plan file, in hexadecimal.
  public let planDigest: String
  private let queue: JournalQueue<SQLiteTables>

  init(_ queue: JournalQueue<SQLiteTables>, _ meta: JournalMeta) {
    self.queue = queue
    header = meta.header
    planDigest = meta.digest
  }

  /// The runs so far, the plan's own first.
  public func runs() async throws(BatchProblem) -> [BatchRun] {
    try await queue.perform { tables throws(JournalError) in try tables.runs() }
  }

  /// Adds a run; if the process dies meanwhile, there is none.
  public func add(
    _ kind: BatchRun.Kind, of: Int64?,
    rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> BatchRun {
    try await queue.load(kind, of: of, rows: rows)
  }

  /// Claims rows that wait, in the order of their numbers; those given back come first.
  public func claim(
    _ run: BatchRun, atMost count: Int
  ) async throws(BatchProblem) -> [ClaimedRow] {
    try await queue.perform { tables throws(JournalError) in
      try tables.claim(run.number, atMost: count)
    }
  }

  /// Gives claimed rows back that were not begun or not ended.
  public func release(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem) {
    try await queue.perform { tables throws(JournalError) in
      try tables.release(run.number, rows)
    }
  }

  /// Makes an intent durable; one of the same step before it is replaced, and its outcome forgotten.
  public func intend(_ run: BatchRun, _ intent: StepIntent) async throws(BatchProblem) {
    try await queue.perform { tables throws(JournalError) in
      try tables.intend(run.number, intent)
    }
  }

  /// Takes note of an outcome; it is durable with the next intent or flush, and soon without them.
  public func settle(
    _ run: BatchRun, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFault?
  ) {
    queue.note { tables throws(JournalError) in
      try tables.settle(run.number, outcome, row: row, end: end, fault: fault)
    }
  }

  /// Waits until everything is durable that was noted, and tells what went wrong with it.
  public func flush() async throws(BatchProblem) {
    try await queue.flush()
  }

  /// Lets failed rows wait again and tells how many they are; what they did stays done.
  public func retryFailed(_ run: BatchRun) async throws(BatchProblem) -> Int64 {
    try await queue.perform { tables throws(JournalError) in
      try tables.retryFailed(run.number)
    }
  }

  /// How far a run has come.
  public func tally(_ run: BatchRun) async throws(BatchProblem) -> BatchTally {
    try await queue.perform { tables throws(JournalError) in
      try tables.progress(of: run.number).shownTally
    }
  }

  /// Reads rows in order, page by page.
  public func rows(
    _ run: BatchRun, _ query: RowQuery, after: Int64?, atMost: Int
  ) async throws(BatchProblem) -> [RowRecord] {
    try await queue.perform { tables throws(JournalError) in
      try tables.rows(run.number, query, after: after, atMost: atMost)
    }
  }

  /// Writes what was noted and gives the file up.
  public func close() async {
    await queue.close()
  }
}
