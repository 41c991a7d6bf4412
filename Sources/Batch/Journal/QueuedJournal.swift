/// The tables of a journal in a database; their functions are called within commits.
protocol JournalTables: LoadableStore {
  /// The runs that are whole, in the order of their numbers.
  func runs() throws(Failure) -> [BatchRun]
  /// Rows for this process, in the order of their numbers, with what was begun of them.
  func claim(_ run: Int64, atMost count: Int) throws(Failure) -> [ClaimedRow]
  /// Lets claimed rows wait again.
  func release(_ run: Int64, _ numbers: [Int64]) throws(Failure)
  /// Writes an intent, in place of an earlier one and its outcome.
  func intend(_ run: Int64, _ intent: StepIntent) throws(Failure)
  /// Writes an outcome, and the row's state if it has come to an end.
  func settle(
    _ run: Int64, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFault?
  ) throws(Failure)
  /// Lets failed rows wait again and tells how many they are.
  func retryFailed(_ run: Int64) throws(Failure) -> Int64
  /// Lets these rows wait again, those of them that failed.
  func reopen(_ run: Int64, _ numbers: [Int64]) throws(Failure)
  /// How far a run has come.
  func tally(_ run: Int64) throws(Failure) -> BatchTally
  /// Rows in order, behind the number or before it.
  func rows(
    _ run: Int64, _ query: RowQuery, after: Int64?, atMost count: Int
  ) throws(Failure) -> [RowRecord]
}

/// A journal whose tables a thread of their own has: what tasks ask is handed over to it.
protocol QueuedJournal: BatchJournal {
  associatedtype Tables: JournalTables
  var queue: JournalQueue<Tables> { get }
}

extension QueuedJournal {
  /// The runs so far, the plan's own first.
  public func runs() async throws(BatchProblem) -> [BatchRun] {
    try await queue.perform { tables throws(Tables.Failure) in try tables.runs() }
  }

  /// Adds a run; if the process dies meanwhile, there is none.
  public func add(
    _ kind: BatchRun.Kind, of: Int64?,
    rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> BatchRun {
    try await queue.load(kind, of: of, rows: rows)
  }

  /// Claims rows that nobody has, in the order of their numbers; those given back come first.
  public func claim(
    _ run: BatchRun, atMost count: Int
  ) async throws(BatchProblem) -> [ClaimedRow] {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.claim(run.number, atMost: count)
    }
  }

  /// Gives claimed rows back that were not begun or not ended.
  public func release(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem) {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.release(run.number, rows)
    }
  }

  /// Makes an intent durable; one of the same step before it is replaced, and its outcome forgotten.
  public func intend(_ run: BatchRun, _ intent: StepIntent) async throws(BatchProblem) {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.intend(run.number, intent)
    }
  }

  /// Takes note of an outcome; it is durable with the next intent or flush, and soon without them.
  public func settle(
    _ run: BatchRun, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFault?
  ) {
    queue.note { tables throws(Tables.Failure) in
      try tables.settle(run.number, outcome, row: row, end: end, fault: fault)
    }
  }

  /// Waits until everything is durable that was noted, and tells what went wrong with it.
  public func flush() async throws(BatchProblem) {
    try await queue.flush()
  }

  /// Lets failed rows wait again and tells how many they are; what they did stays done.
  public func retryFailed(_ run: BatchRun) async throws(BatchProblem) -> Int64 {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.retryFailed(run.number)
    }
  }

  /// Lets these rows wait again, those of them that failed; what they did stays done.
  public func reopen(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem) {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.reopen(run.number, rows)
    }
  }

  /// How far a run has come, by all processes.
  public func tally(_ run: BatchRun) async throws(BatchProblem) -> BatchTally {
    try await queue.perform { tables throws(Tables.Failure) in try tables.tally(run.number) }
  }

  /// Reads rows in order, page by page.
  public func rows(
    _ run: BatchRun, _ query: RowQuery, after: Int64?, atMost: Int
  ) async throws(BatchProblem) -> [RowRecord] {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.rows(run.number, query, after: after, atMost: atMost)
    }
  }
}
