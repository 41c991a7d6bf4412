/// How far a row has come.
public enum RowState: String, Sendable, CaseIterable {
  /// Nobody works on it.
  case waiting
  /// A runner has claimed it.
  case claimed
  /// All its steps are done.
  case done
  /// A step was refused; earlier steps stay done.
  case failed
  /// The plan says that nothing is to be done.
  case skipped
  /// The plan says that nothing can be done.
  case refused
}

/// A row as a runner gets it.
public struct ClaimedRow: Sendable {
  /// The row.
  public var row: PlannedRow
  /// What was begun in earlier runs, in the order of the steps.
  public var steps: [StepRecord]

  /// Describes a row that was claimed.
  public init(row: PlannedRow, steps: [StepRecord]) {
    self.row = row
    self.steps = steps
  }
}

/// How many rows there are in each state, and how many steps by result.
public struct BatchTally: Sendable, Equatable {
  /// How many rows are in each state.
  public var rows: [RowState: Int64] = [:]
  /// How many steps ended in each way.
  public var steps: [StepOutcome.Result: Int64] = [:]

  /// Nothing yet.
  public init() {}
}

/// What a run does, of the runs that share a journal.
public struct BatchRun: Sendable, Equatable {
  /// What kind of run it is.
  public enum Kind: String, Sendable {
    case run, undo, finalize
  }

  /// Its number in the journal, from 1; the plan's own run has 1.
  public var number: Int64
  /// What kind of run it is.
  public var kind: Kind
  /// The run that it undoes or ends.
  public var of: Int64?

  /// Describes a run.
  public init(number: Int64, kind: Kind, of: Int64? = nil) {
    self.number = number
    self.kind = kind
    self.of = of
  }
}

/// Which rows are read.
public struct RowQuery: Sendable {
  /// The states; all when empty.
  public var states: Set<RowState> = []
  /// Whether the steps come with the rows.
  public var withSteps = false
  /// Whether the last row comes first.
  public var isReversed = false

  /// All rows without their steps.
  public init() {}
}

/// A row and what became of it.
public struct RowRecord: Sendable {
  /// The row as planned.
  public var row: PlannedRow
  /// How far it has come.
  public var state: RowState
  /// Why it failed.
  public var fault: RowFault?
  /// Its steps, if they were asked for.
  public var steps: [StepRecord]

  /// Describes a row.
  public init(row: PlannedRow, state: RowState, fault: RowFault?, steps: [StepRecord]) {
    self.row = row
    self.state = state
    self.fault = fault
    self.steps = steps
  }
}

/// The durable record of a plan and of its runs.
///
/// What a function that returned has written survives the death of the process, and power loss too. Any
/// number of tasks may use one at the same time; what they write at the same time is committed together.
public protocol BatchJournal: Sendable {
  /// The plan that the journal belongs to.
  var header: PlanHeader { get }

  /// The runs so far, the plan's own first.
  func runs() async throws(BatchProblem) -> [BatchRun]

  /// Adds a run whose rows come from a function, which gives nil behind the last. A run is there whole or not
  /// at all.
  func add(
    _ kind: BatchRun.Kind, of: Int64?,
    rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> BatchRun

  /// Claims rows that wait, or whose runner is no more, in the order of their numbers, for this process.
  ///
  /// Empty when none is left, or when somebody else has what is left.
  func claim(_ run: BatchRun, atMost count: Int) async throws(BatchProblem) -> [ClaimedRow]

  /// Gives claimed rows back that were not begun or not ended.
  func release(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem)

  /// Makes an intent durable.
  func intend(_ run: BatchRun, _ intent: StepIntent) async throws(BatchProblem)

  /// Takes note of an outcome, and of the row's end if that was its last step. It is durable before whatever is
  /// intended later.
  func settle(
    _ run: BatchRun, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFault?
  )

  /// Waits until everything is durable that was noted, and tells what went wrong with it.
  func flush() async throws(BatchProblem)

  /// Lets failed rows wait again; what they did stays done.
  func retryFailed(_ run: BatchRun) async throws(BatchProblem) -> Int64

  /// Lets these rows wait again, those of them that failed; what they did stays done.
  func reopen(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem)

  /// How many rows of this process's part have not ended, whether they are pending or a process has them.
  func openRows(_ run: BatchRun) async throws(BatchProblem) -> Int64

  /// How far a run has come.
  func tally(_ run: BatchRun) async throws(BatchProblem) -> BatchTally

  /// Reads rows in order, page by page: those behind the number `after`, or before it when reversed.
  func rows(
    _ run: BatchRun, _ query: RowQuery, after: Int64?, atMost: Int
  ) async throws(BatchProblem) -> [RowRecord]

  /// Gives everything up: claims end, the file is closed.
  func close() async
}

extension BatchJournal {
  /// All rows of the run that have not ended, for a journal whose rows all belong to one part.
  public func openRows(_ run: BatchRun) async throws(BatchProblem) -> Int64 {
    let rows = try await tally(run).rows
    return (rows[.waiting] ?? 0) + (rows[.claimed] ?? 0)
  }
}
