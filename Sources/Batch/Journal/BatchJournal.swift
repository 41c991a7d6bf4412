import Synchronization
import System

/// The state of a row in a run.
enum RowState: String, Sendable, CaseIterable {
  /// Pending: no process works on it.
  case waiting
  /// A process has claimed it.
  case claimed
  /// All its steps are done.
  case done
  /// A step was refused, and nothing of the row is in effect, unless the outcome of a step is unknown.
  case failed
  /// A step was refused, and earlier steps could not be taken back.
  case halfDone
  /// The plan skips it.
  case skipped
  /// The plan refuses it.
  case refused
}

/// A row that this process has claimed.
struct ClaimedRow: Sendable {
  var row: PlannedRow
  /// The steps of earlier runs, in order.
  var steps: [StepRecord]
}

/// The number of rows by state, and of steps by result.
struct BatchTally: Sendable, Equatable {
  /// The number of rows by state.
  var rows: [RowState: Int64] = [:]
  /// The number of steps by result.
  var steps: [StepOutcome.Result: Int64] = [:]

  /// The number of rows that failed, including those that are half done.
  var failed: Int64 { (rows[.failed] ?? 0) + (rows[.halfDone] ?? 0) }
}

struct BatchRun: Sendable, Equatable {
  /// The purpose of a run.
  enum Kind: String, Sendable {
    case run, undo, finalize
    /// An undo of some rows, after which the other rows of the run are as they were.
    case undoRows

    var isUndo: Bool { [.undo, .undoRows].contains(self) }
  }

  /// The run's number in the journal, from 1; run 1 is the plan's own.
  var number: Int64
  /// The purpose of the run.
  var kind: Kind
  /// The run that this one undoes or finalizes.
  var of: Int64?
  /// Whether it is an undo of which all rows have failed and no step was made, so that it has undone nothing.
  var isVoid = false
}

/// Selects the rows to read.
struct RowQuery: Sendable {
  /// The states to include; all if empty.
  var states: Set<RowState> = []
  /// Whether to include the steps of the rows.
  var withSteps = false
  /// Whether to start with the last row.
  var isReversed = false
}

/// A row with its state and steps.
struct RowRecord: Sendable {
  var row: PlannedRow
  var state: RowState
  /// The error of a failed or half-done row.
  var fault: RowFailure?
  /// The row's steps, if the query includes them.
  var steps: [StepRecord]
}

/// What the executor needs of a journal: pending rows, and a durable record of what is done to them.
///
/// Once an `async` function has returned, its writes survive the death of the process and a power loss. Any number of
/// tasks may use a journal concurrently; their concurrent writes share a commit.
protocol RowJournal: Sendable {
  /// Claims pending rows for this process in number order, including rows of dead processes.
  ///
  /// Empty when no row is left or other processes have the rest.
  func claim(_ run: BatchRun, atMost count: Int) async throws(BatchProblem) -> [ClaimedRow]

  /// Ends a `claim` that waits for rows, and lets later ones return none: the run begins no further row.
  func endClaims()

  /// Releases claimed rows that were not begun or not finished.
  func release(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem)

  /// Records an intent before its call is made.
  func intend(_ run: BatchRun, _ intent: StepIntent) async throws(BatchProblem)

  /// Records an outcome, and the row's end if `end` is given; durable before any later intent.
  func settle(
    _ run: BatchRun, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFailure?
  )

  /// Waits until all recorded outcomes are durable; throws if that failed.
  func flush() async throws(BatchProblem)

  /// Requeues those of these rows that failed or are half done; their finished steps stay done.
  func reopen(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem)

  /// Removes the steps of a claimed row, so that it can begin anew, and returns how they had ended.
  func forget(_ run: BatchRun, row: Int64) async throws(BatchProblem) -> [StepOutcome.Result]

  /// Whether another row of the plan is done.
  func isDone(_ run: BatchRun, row: Int64, for other: Int64) async throws(BatchProblem) -> Bool

  /// Whether it is certain without a look at the journal that no other process has taken this process's rows over.
  var hasFreshLease: Bool { get }

  /// Throws if other processes have taken this process's rows over.
  func confirmOwnership() async throws(BatchProblem)

  /// Throws if nobody can learn what this process does; then it makes no call.
  func checkContact() throws(BatchProblem)

  /// The number of unfinished rows, whether they are pending or claimed by any process.
  func openRows(_ run: BatchRun) async throws(BatchProblem) -> Int64

  /// The number of rows and steps of the run.
  func tally(_ run: BatchRun) async throws(BatchProblem) -> BatchTally
}

extension RowJournal {
  /// A journal that this process writes itself.
  func checkContact() throws(BatchProblem) {}

  func openRows(_ run: BatchRun) async throws(BatchProblem) -> Int64 {
    let rows = try await tally(run).rows
    return (rows[.waiting] ?? 0) + (rows[.claimed] ?? 0)
  }
}

/// The durable record of a plan and its runs.
protocol BatchJournal: RowJournal {
  var header: PlanHeader { get }
  /// SHA-256 of the plan file, in hexadecimal.
  var digest: String { get }

  /// The runs so far, starting with the plan's own.
  func runs() async throws(BatchProblem) -> [BatchRun]

  /// Adds a run with the rows from a function, which returns nil after the last; all or nothing.
  func add(
    _ kind: BatchRun.Kind, of: Int64?,
    rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> BatchRun

  /// Records who works on a run.
  func record(_ session: BatchSession) async throws(BatchProblem)

  /// Who has worked on the runs, in order.
  func sessions() async throws(BatchProblem) -> [BatchSession]

  /// Reads a page of rows in order: those after the number `after`, or before it when reversed.
  func rows(
    _ run: BatchRun, _ query: RowQuery, after: Int64?, atMost: Int
  ) async throws(BatchProblem) -> [RowRecord]

  /// The outcomes of the steps of these rows, ordered by row and step; also of steps that needed no call, which have no
  /// intent.
  func outcomes(
    _ run: BatchRun, _ rows: ClosedRange<Int64>
  ) async throws(BatchProblem) -> [StepOutcome]

  /// Closes the journal and releases this process's claims.
  func close() async
}

extension BatchJournal {
  /// True for a journal that one process has for itself.
  var hasFreshLease: Bool { true }

  func confirmOwnership() async throws(BatchProblem) {}

  /// A claim does not wait.
  func endClaims() {}

  func isDone(_ run: BatchRun, row: Int64, for other: Int64) async throws(BatchProblem) -> Bool {
    let found = try await rows(run, RowQuery(), after: row - 1, atMost: 1)
    return found.first.map { $0.row.number == row && $0.state == .done } ?? false
  }
}

/// A plan to create a journal from, or to check an existing journal against.
struct JournalPlan: Sendable {
  var header: PlanHeader
  /// SHA-256 of the plan file, in hexadecimal.
  var digest: String
  /// Returns the rows one after the other, then nil; called only if the journal has no rows yet.
  var rows: @Sendable () async throws(BatchProblem) -> PlannedRow?

  /// Throws unless the journal was made for this plan.
  func check(
    _ header: PlanHeader, digest: String, journal: String,
    hint: String = "give the plan that it was made for; another plan needs its own journal"
  ) throws(BatchProblem) {
    let isSameProject =
      header.projectID.utf8.elementsEqual(self.header.projectID.utf8)
      && header.tenantID == self.header.tenantID
    guard digest == self.digest, isSameProject else {
      throw BatchProblem(
        .usage,
        "\(journal) belongs to another plan: to \(Self.name(header, digest)), "
          + "and not to \(Self.name(self.header, self.digest))",
        hint: hint)
    }
  }

  private static func name(_ header: PlanHeader, _ digest: String) -> String {
    let tenant = header.tenantID.map { ", tenant \($0)" } ?? ""
    return "the plan \(digest.prefix(12)) for project \(header.projectID)\(tenant)"
  }
}

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
