/// The tables of a journal in a database; their functions run inside commits.
protocol JournalTables: LoadableStore {
  /// The loaded runs, in number order.
  func runs() throws(Failure) -> [BatchRun]
  func record(_ session: BatchSession) throws(Failure)
  func sessions() throws(Failure) -> [BatchSession]
  /// Claims rows in number order, with their earlier steps.
  func claim(_ run: Int64, atMost count: Int) throws(Failure) -> [ClaimedRow]
  func release(_ run: Int64, _ numbers: [Int64]) throws(Failure)
  /// Writes an intent, replacing an earlier one and its outcome.
  func intend(_ run: Int64, _ intent: StepIntent) throws(Failure)
  /// Writes an outcome, and the row's state if `end` is given.
  func settle(
    _ run: Int64, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFailure?
  ) throws(Failure)
  /// Requeues those of these rows that failed or are half done.
  func reopen(_ run: Int64, _ numbers: [Int64]) throws(Failure)
  /// Removes the steps of a row with their outcomes, and returns these.
  func forget(_ run: Int64, row: Int64) throws(Failure) -> [StepOutcome.Result]
  func tally(_ run: Int64) throws(Failure) -> BatchTally
  /// The outcomes of the steps of these rows, ordered by row and step.
  func outcomes(_ run: Int64, _ rows: ClosedRange<Int64>) throws(Failure) -> [StepOutcome]
  /// Rows in order, after the number `after` or before it.
  func rows(
    _ run: Int64, _ query: RowQuery, after: Int64?, atMost count: Int
  ) throws(Failure) -> [RowRecord]
}

/// A journal whose tables are used on the thread of a `JournalQueue`.
protocol QueuedJournal: BatchJournal {
  associatedtype Tables: JournalTables
  var queue: JournalQueue<Tables> { get }
}

extension QueuedJournal {
  /// The runs so far, starting with the plan's own.
  func runs() async throws(BatchProblem) -> [BatchRun] {
    try await queue.perform { tables throws(Tables.Failure) in try tables.runs() }
  }

  /// Records who works on a run.
  func record(_ session: BatchSession) async throws(BatchProblem) {
    try await queue.perform { tables throws(Tables.Failure) in try tables.record(session) }
  }

  /// Who has worked on the runs, in order; empty for what older versions have done.
  func sessions() async throws(BatchProblem) -> [BatchSession] {
    try await queue.perform { tables throws(Tables.Failure) in try tables.sessions() }
  }

  /// Adds a run; if the process dies meanwhile, the run does not exist.
  func add(
    _ kind: BatchRun.Kind, of: Int64?,
    rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> BatchRun {
    try await queue.load(kind, of: of, rows: rows)
  }

  /// Claims pending rows in number order; released rows come first.
  func claim(
    _ run: BatchRun, atMost count: Int
  ) async throws(BatchProblem) -> [ClaimedRow] {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.claim(run.number, atMost: count)
    }
  }

  /// Releases claimed rows that were not begun or not finished.
  func release(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem) {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.release(run.number, rows)
    }
  }

  /// Records an intent durably; replaces an earlier intent of the same step and its outcome.
  func intend(_ run: BatchRun, _ intent: StepIntent) async throws(BatchProblem) {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.intend(run.number, intent)
    }
  }

  /// Records an outcome; it becomes durable with the next intent or flush, or shortly after without one.
  func settle(
    _ run: BatchRun, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFailure?
  ) {
    queue.note { tables throws(Tables.Failure) in
      try tables.settle(run.number, outcome, row: row, end: end, fault: fault)
    }
  }

  /// Waits until all recorded outcomes are durable; throws if that failed.
  func flush() async throws(BatchProblem) {
    try await queue.flush()
  }

  /// Requeues those of these rows that failed or are half done; their finished steps stay done.
  func reopen(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem) {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.reopen(run.number, rows)
    }
  }

  /// Removes the steps of a row, so that it can begin anew, and returns how they had ended.
  func forget(
    _ run: BatchRun, row: Int64
  ) async throws(BatchProblem) -> [StepOutcome.Result] {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.forget(run.number, row: row)
    }
  }

  /// The current counts of a run, over all processes.
  func tally(_ run: BatchRun) async throws(BatchProblem) -> BatchTally {
    try await queue.perform { tables throws(Tables.Failure) in try tables.tally(run.number) }
  }

  func outcomes(
    _ run: BatchRun, _ rows: ClosedRange<Int64>
  ) async throws(BatchProblem) -> [StepOutcome] {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.outcomes(run.number, rows)
    }
  }

  /// Reads a page of rows in order.
  func rows(
    _ run: BatchRun, _ query: RowQuery, after: Int64?, atMost: Int
  ) async throws(BatchProblem) -> [RowRecord] {
    try await queue.perform { tables throws(Tables.Failure) in
      try tables.rows(run.number, query, after: after, atMost: atMost)
    }
  }
}
