import System

/// Writes the events of a run again from its journal: the last outcome of each step, and the end of each row, in the
/// order of rows and steps.
struct EventExport: Sendable {
  private let run: BatchRun
  private let journal: any BatchJournal
  private let selection: RowSelection

  /// - Throws: If the selection names an unknown column.
  init(
    _ run: BatchRun, of journal: any BatchJournal, _ selection: RowSelection = RowSelection()
  ) throws(BatchProblem) {
    try selection.check(journal.header.columns)
    self.run = run
    self.journal = journal
    self.selection = selection
  }

  /// Writes the events to a file, which they replace, or to standard output if `path` is nil; returns their number.
  func write(to path: String?) async throws(BatchProblem) -> Int64 {
    let file = try OutputFile.orStandardOutput(path)
    var count: Int64 = 0
    // The events of rows that the plan refused or skipped are in no file of a run.
    var pages = RowPages(
      journal, run, states: [.waiting, .claimed, .done, .failed, .halfDone], withSteps: true)
    while let page = try await pages.next() {
      guard let first = page.first, let last = page.last else { continue }
      let outcomes = Dictionary(
        grouping: try await journal.outcomes(
          run, first.row.number...last.row.number), by: \.row)
      for record in page where selection.has(record) {
        for line in Self.lines(of: record, outcomes[record.row.number] ?? []) {
          try file.write(line.encodedBytes() + [0x0A])
          count += 1
        }
      }
    }
    try file.finish()
    return count
  }

  /// The events of a row.
  ///
  /// - Parameter outcomes: The outcomes of its steps, in the order of their numbers.
  private static func lines(of record: RowRecord, _ outcomes: [StepOutcome]) -> [JSON] {
    let row = record.row
    var operations = StepOperations(record, count: outcomes.count { $0.step > 0 })
    // The steps that take others back have negative numbers, and come after these.
    let ordered = outcomes.filter { $0.step > 0 } + outcomes.filter { $0.step < 0 }
    var lines = ordered.map { outcome in
      let intent = record.steps.first { $0.intent.step == outcome.step }?.intent
      let operation = outcome.step > 0 ? operations.next(intent) : nil
      let isTakenBack = outcome.step < 0 || outcome.result == .takenBack
      return BatchEvent.step(
        key: row.key, kind: isTakenBack ? Executor.takingBack : operation?.name ?? "",
        uid: intent.map { $0.change.uid } ?? operation?.uids.first, outcome
      ).json(at: outcome.at)
    }
    if [.done, .failed, .halfDone].contains(record.state) {
      // A journal has no time for the end of a row.
      lines.append(
        BatchEvent.row(number: row.number, key: row.key, record.state, record.fault)
          .json(at: outcomes.map(\.at).max()))
    }
    return lines
  }
}

/// The operations that the steps of a row belong to; all but merges and undos have one step.
private struct StepOperations {
  private var operations: ArraySlice<Operation>
  private var left: Int
  private let isDone: Bool

  /// - Parameter count: The number of steps with an outcome.
  init(_ record: RowRecord, count: Int) {
    if case .run(let list) = record.row.decision { operations = list[...] } else { operations = [] }
    left = count
    isDone = record.state == .done
  }

  /// The operation of the next step.
  ///
  /// - Parameter intent: The step's intent; nil if the account was in the target state already.
  mutating func next(_ intent: StepIntent?) -> Operation? {
    left -= 1
    guard let operation = operations.first else { return nil }
    let isLast: Bool
    switch operation {
    case .merge:
      if case .update(_, let body)? = intent?.change {
        isLast = body["disableUser"] != nil
      } else {
        isLast = isDone && left < operations.count
      }
    // The row of an undo has this one operation.
    case .followUp(.undo): isLast = false
    default: isLast = true
    }
    if isLast { operations.removeFirst() }
    return operation
  }
}
