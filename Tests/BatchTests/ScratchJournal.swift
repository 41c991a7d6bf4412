@testable import Batch
@testable import System
import Synchronization

/// A journal in a file of its own, whose process a test lets die and start again.
final class ScratchJournal: BatchJournal {
  private struct State {
    var journal: SQLiteJournal
    /// How many intents are written before the process dies; nil for ever.
    var life: Int?
    /// How many intents are written before other processes take the rows over; nil for never.
    var own: Int?
    /// Rows that another process is claiming: how many calls of `claim` pass over each.
    var held: [Int64: Int] = [:]
  }

  static let run = BatchRun(number: 1, kind: .run)
  private let scratch: Scratch
  private let state: Mutex<State>
  let header: PlanHeader
  let digest: String

  /// Makes the file with a plan of one row for each list of operations.
  convenience init(_ operations: [[Operation]]) async throws {
    try await self.init(
      rows: operations.enumerated().map { index, list in
        let number = Int64(index + 1)
        return PlannedRow(
          number: number, line: number, key: "row-\(number)", input: nil, decision: .run(list))
      })
  }

  /// Makes the file with a plan of these rows.
  init(rows: [PlannedRow]) async throws {
    scratch = try Scratch()
    let journal = try await SQLiteJournal.open(
      path: scratch.path("plan.journal"), key: nil,
      plan: JournalFixture.plan(rows, project: "demo-luath"))
    self.header = journal.header
    digest = journal.digest
    state = Mutex(State(journal: journal))
  }

  /// Dies after so many intents: nothing more reaches the journal.
  func die(after intents: Int) { state.withLock { $0.life = intents } }

  /// Loses the rows to other processes after so many intents, as a process that is stopped does.
  func loseRows(after intents: Int) { state.withLock { $0.own = intents } }

  var hasFreshLease: Bool { state.withLock { $0.own != 0 } }

  func confirmOwnership() async throws(BatchProblem) {
    throw BatchProblem(.inUse, "others took the rows of this process over", hint: "")
  }

  /// Opens the file as the next process does.
  func revive() async throws {
    await state.withLock { $0.journal }.close()
    let journal = try await SQLiteJournal.open(
      path: scratch.path("plan.journal"), key: nil, plan: nil)
    state.withLock { $0 = State(journal: journal) }
  }

  /// Passes over a row in the next calls of `claim`, as while another process is claiming it.
  func hold(_ row: Int64, calls: Int) { state.withLock { $0.held[row] = calls } }

  /// All rows with their steps.
  func rows() async throws(BatchProblem) -> [RowRecord] {
    var query = RowQuery()
    query.withSteps = true
    return try await rows(Self.run, query, after: nil, atMost: .max)
  }

  /// The steps of all rows.
  func steps() async throws(BatchProblem) -> [StepRecord] { try await rows().flatMap(\.steps) }

  /// The file, while the process lives.
  private func living(isIntent: Bool = false) throws(BatchProblem) -> SQLiteJournal {
    let journal: SQLiteJournal? = state.withLock { state in
      guard let life = state.life else { return state.journal }
      guard life > 0 else { return nil }
      if isIntent { state.life = life - 1 }
      return state.journal
    }
    guard let journal else { throw BatchProblem(.unavailable, "the machine is gone", hint: "") }
    return journal
  }

  func runs() async throws(BatchProblem) -> [BatchRun] { try await living().runs() }

  func add(
    _ kind: BatchRun.Kind, of: Int64?,
    rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> BatchRun { try await living().add(kind, of: of, rows: rows) }

  func record(_ session: BatchSession) async throws(BatchProblem) {
    try await living().record(session)
  }

  func sessions() async throws(BatchProblem) -> [BatchSession] { try await living().sessions() }

  func claim(_ run: BatchRun, atMost count: Int) async throws(BatchProblem) -> [ClaimedRow] {
    let journal = try living()
    let rows = try await journal.claim(run, atMost: count)
    let held = state.withLock { state in
      defer { state.held = state.held.compactMapValues { $0 > 1 ? $0 - 1 : nil } }
      return state.held
    }
    let passed = rows.map(\.row.number).filter { held[$0] != nil }
    if !passed.isEmpty { try await journal.release(run, passed) }
    return rows.filter { held[$0.row.number] == nil }
  }

  func release(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem) {
    try await living().release(run, rows)
  }

  func intend(_ run: BatchRun, _ intent: StepIntent) async throws(BatchProblem) {
    try await living(isIntent: true).intend(run, intent)
    state.withLock { $0.own = $0.own.map { max(0, $0 - 1) } }
  }

  func settle(
    _ run: BatchRun, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFailure?
  ) { try? living().settle(run, outcome, row: row, end: end, fault: fault) }

  func flush() async throws(BatchProblem) { try await living().flush() }

  func reopen(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem) {
    try await living().reopen(run, rows)
  }

  func forget(
    _ run: BatchRun, row: Int64
  ) async throws(BatchProblem) -> [StepOutcome.Result] {
    try await living().forget(run, row: row)
  }

  func tally(_ run: BatchRun) async throws(BatchProblem) -> BatchTally {
    try await living().tally(run)
  }

  func outcomes(
    _ run: BatchRun, _ rows: ClosedRange<Int64>
  ) async throws(BatchProblem) -> [StepOutcome] {
    try await living().outcomes(run, rows)
  }

  func rows(
    _ run: BatchRun, _ query: RowQuery, after: Int64?, atMost: Int
  ) async throws(BatchProblem) -> [RowRecord] {
    try await living().rows(run, query, after: after, atMost: atMost)
  }

  func close() async { await state.withLock { $0.journal }.close() }
}
