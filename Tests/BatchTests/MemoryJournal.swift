import Batch
import Encoding
import Synchronization

/// A journal in memory, which a test lets die and live again as a file would.
final class MemoryJournal: BatchJournal {
  struct Entry {
    var row: PlannedRow
    var state: RowState
    var fault: RowFault?
    var steps: [Int: StepRecord] = [:]
  }

  struct State {
    var rows: [Int64: Entry] = [:]
    /// How many intents are written before the machine dies; nil for ever.
    var life: Int?
    var intents = 0
    /// Rows that another process is claiming: how many calls of `claim` pass over each.
    var locked: [Int64: Int] = [:]
  }

  let header: PlanHeader
  let planDigest = "0"
  let state: Mutex<State>
  static let run = BatchRun(number: 1, kind: .run)

  init(_ operations: [[Operation]]) {
    header = PlanHeader(
      projectID: "demo-luath", tenantID: nil, script: "test.lua", scriptDigest: "", input: "-",
      columns: [], made: "2030-01-01T00:00:00Z", sample: nil)
    var first = State()
    for (index, list) in operations.enumerated() {
      let number = Int64(index + 1)
      first.rows[number] = Entry(
        row: PlannedRow(
          number: number, line: number, key: "row-\(number)", input: nil, decision: .run(list)),
        state: .waiting)
    }
    state = Mutex(first)
  }

  /// Dies after so many intents: nothing more reaches the journal.
  func die(after intents: Int?) {
    state.withLock {
      $0.life = intents
      $0.intents = 0
    }
  }

  /// What a new runner finds when the lease of the dead one has ended.
  func revive() {
    state.withLock { state in
      state.life = nil
      for (number, entry) in state.rows where entry.state == .claimed {
        state.rows[number]?.state = .waiting
      }
    }
  }

  var steps: [StepRecord] {
    state.withLock { state in
      state.rows.keys.sorted().flatMap { number in
        (state.rows[number]?.steps ?? [:]).sorted { $0.key < $1.key }.map(\.value)
      }
    }
  }

  func entry(_ row: Int64) -> Entry? { state.withLock { $0.rows[row] } }

  private func locked<Value: Sendable>(
    _ body: (inout State) -> Value
  ) throws(BatchProblem) -> Value {
    let result: Result<Value, BatchProblem> = state.withLock { state in
      if let life = state.life, state.intents >= life {
        return .failure(BatchProblem(.unavailable, "the machine is gone", hint: ""))
      }
      return .success(body(&state))
    }
    return try result.get()
  }

  func runs() async throws(BatchProblem) -> [BatchRun] { [Self.run] }

  func add(
    _ kind: BatchRun.Kind, of: Int64?,
    rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> BatchRun { Self.run }

  func claim(_ run: BatchRun, atMost count: Int) async throws(BatchProblem) -> [ClaimedRow] {
    try locked { state in
      let numbers = state.rows.filter {
        $0.value.state == .waiting && state.locked[$0.key, default: 0] == 0
      }.keys.sorted().prefix(count)
      for (number, calls) in state.locked where calls > 0 { state.locked[number] = calls - 1 }
      return numbers.compactMap { number in
        state.rows[number]?.state = .claimed
        guard let entry = state.rows[number] else { return nil }
        return ClaimedRow(
          row: entry.row, steps: entry.steps.sorted { $0.key < $1.key }.map(\.value))
      }
    }
  }

  func release(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem) {
    try locked { state in
      for row in rows { state.rows[row]?.state = .waiting }
    }
  }

  func intend(_ run: BatchRun, _ intent: StepIntent) async throws(BatchProblem) {
    await Task.yield()
    try locked { state in
      state.intents += 1
      state.rows[intent.row]?.steps[intent.step] = StepRecord(intent: intent, outcome: nil)
    }
  }

  func settle(
    _ run: BatchRun, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFault?
  ) {
    try? locked { state in
      if let outcome { state.rows[row]?.steps[outcome.step]?.outcome = outcome }
      if let end {
        state.rows[row]?.state = end
        state.rows[row]?.fault = fault
      }
    }
  }

  func flush() async throws(BatchProblem) { try locked { _ in } }

  func retryFailed(_ run: BatchRun) async throws(BatchProblem) -> Int64 {
    try locked { state in
      var count: Int64 = 0
      for (number, entry) in state.rows where entry.state == .failed {
        state.rows[number]?.state = .waiting
        count += 1
      }
      return count
    }
  }

  func reopen(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem) {
    try locked { state in
      for row in rows where state.rows[row]?.state == .failed { state.rows[row]?.state = .waiting }
    }
  }

  func tally(_ run: BatchRun) async throws(BatchProblem) -> BatchTally {
    try locked { state in
      var tally = BatchTally()
      for entry in state.rows.values {
        tally.rows[entry.state, default: 0] += 1
        for step in entry.steps.values {
          if let outcome = step.outcome { tally.steps[outcome.result, default: 0] += 1 }
        }
      }
      return tally
    }
  }

  func rows(
    _ run: BatchRun, _ query: RowQuery, after: Int64?, atMost: Int
  ) async throws(BatchProblem) -> [RowRecord] { [] }

  func close() async {}
}
