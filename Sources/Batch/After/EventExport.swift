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
    let operations = StepOperations(record)
    // The steps that take others back have negative numbers, and come after these.
    let ordered = outcomes.filter { $0.step > 0 } + outcomes.filter { $0.step < 0 }
    var lines = ordered.map { outcome in
      let intent = record.steps.first { $0.intent.step == outcome.step }?.intent
      let operation = operations[outcome.step]
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
  private var ends: [(step: Int, operation: Operation)] = []

  init(_ record: RowRecord) {
    guard case .run(let operations) = record.row.decision else { return }
    var count = 0
    for operation in operations {
      switch operation {
      case .merge(let survivor, let loser, _):
        count += Self.count(
          operation, survivor, loser, record.steps.filter { $0.intent.step > count })
      // The row of an undo has this one operation.
      case .followUp(.undo): count += Int(Int32.max)
      default: count += 1
      }
      ends.append((count, operation))
    }
  }

  /// The operation of a step; nil for one that takes another back.
  subscript(step: Int) -> Operation? {
    step > 0 ? ends.first { $0.step >= step }?.operation : nil
  }

  /// The number of steps of a merge, from the accounts before its first steps.
  private static func count(
    _ merge: Operation, _ survivor: String, _ loser: String, _ steps: [StepRecord]
  ) -> Int {
    func before(_ uid: String) -> JSON? {
      steps.filter { $0.intent.change.uid.map { ExactString($0) } == ExactString(uid) }
        .min { $0.intent.step < $1.intent.step }?.intent.before
    }
    // A loser that has given everything already has only the last step.
    guard let given = before(loser) else { return 1 }
    var accounts = AccountImages()
    accounts[loser] = given
    // A survivor that was not changed has got no phone number, because it has one.
    accounts[survivor] =
      before(survivor)
      ?? ["localId": .string(survivor), "phoneNumber": given["phoneNumber"] ?? .null]
    return (try? merge.changes(for: accounts).count) ?? 1
  }
}
