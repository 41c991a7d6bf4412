import System

/// Creates the rows of an undo run: rows in the reverse order of their ends, and steps in reverse order.
///
/// The rows are read from the journal again when they are requested.
struct Undoing: Sendable {
  let run: BatchRun
  private let journal: any BatchJournal
  private let selection: RowSelection
  /// The rows with changes, in the order in which they are undone.
  private let numbers: [Int64]
  /// Whether any row has a step whose outcome is unknown.
  let hasDoubts: Bool
  /// The input numbers of rows in which a custom operation failed; its partial effects are unknown and stay.
  let broken: [Int64]
  /// The number of chosen rows that are not done: undone on their own, a later run would go on behind steps that are not
  /// in effect any more.
  let unfinished: Int64

  /// The number of rows with changes.
  var count: Int { numbers.count }

  /// Reads the changes of a run that are not undone yet.
  ///
  /// - Parameter selection: The rows to undo.
  /// - Throws: Also if `progress` was canceled.
  init(
    _ run: BatchRun, of journal: any BatchJournal, _ selection: RowSelection = RowSelection(),
    _ progress: RowProgress = RowProgress()
  ) async throws(BatchProblem) {
    self.run = run
    self.journal = journal
    self.selection = selection
    let undone = try await journal.undoneRows(of: run)
    var found: [(at: Int64, number: Int64)] = []
    var hasDoubts = false
    var broken: [Int64] = []
    var unfinished: Int64 = 0
    var pages = RowPages(journal, run, withSteps: true)
    while let page = try await pages.next() {
      try progress.read(page.count)
      for record in page where selection.has(record) && !undone.contains(record.row.origin) {
        let steps = record.undoneSteps
        if !selection.isAll, record.state != .done {
          if !steps.isEmpty { unfinished += 1 }
          continue
        }
        hasDoubts = hasDoubts || steps.contains(where: \.isInDoubt)
        if record.hasBrokenStep { broken.append(record.row.origin) }
        guard !steps.isEmpty, let last = record.steps.map(\.intent.at).max() else { continue }
        found.append((last, record.row.number))
      }
    }
    // Sort by time, because retried rows ended later than rows with higher numbers.
    found.sort { ($1.at, $1.number) < ($0.at, $0.number) }
    numbers = found.map(\.number)
    self.hasDoubts = hasDoubts
    self.broken = broken
    self.unfinished = unfinished
  }

  /// A function that returns the rows one after the other, then nil.
  func rows() -> @Sendable () async throws(BatchProblem) -> PlannedRow? {
    let source = UndoneRows(RowStore(journal, run), numbers)
    return { () async throws(BatchProblem) in try await source.next() }
  }
}

extension Undoing {
  /// Like `rows`, but reads the changes when the first row is requested: other processes may have added some until then.
  func rowsAsTheyAre() -> @Sendable () async throws(BatchProblem) -> PlannedRow? {
    let source = LateRows { [run, journal, selection] () async throws(BatchProblem) in
      try await Undoing(run, of: journal, selection).rows()
    }
    return { () async throws(BatchProblem) in try await source.next() }
  }
}

private actor LateRows {
  typealias Rows = @Sendable () async throws(BatchProblem) -> PlannedRow?
  private let open: @Sendable () async throws(BatchProblem) -> Rows
  private var rows: Rows?

  init(_ open: @escaping @Sendable () async throws(BatchProblem) -> Rows) { self.open = open }

  func next() async throws(BatchProblem) -> PlannedRow? {
    if rows == nil { rows = try await open() }
    return try await rows?()
  }
}

extension BatchJournal {
  /// The numbers in the input of a run's rows that were undone on their own.
  func undoneRows(of run: BatchRun) async throws(BatchProblem) -> Set<Int64> {
    var rows: Set<Int64> = []
    let runs = try await runs()
    let undone = runs.undone
    for other in runs
    where other.kind == .undoRows && other.of == run.number && !undone.contains(other.number) {
      var pages = RowPages(self, other, states: [.done])
      var found: Set<Int64> = []
      while let page = try await pages.next() { found.formUnion(page.map(\.row.origin)) }
      // Rows that an undo of this undo has carried out again.
      rows.formUnion(found.subtracting(try await undoneRows(of: other)))
    }
    return rows
  }
}

extension [BatchRun] {
  /// The numbers of the undone runs; an undo that was itself undone does not count.
  var undone: Set<Int64> {
    var undone: Set<Int64> = []
    for run in reversed() where run.isUndoOfAll && !undone.contains(run.number) {
      if let other = run.of { undone.insert(other) }
    }
    return undone
  }

  /// The run that undid another run and was not undone itself; nil if there is none.
  func undo(of run: BatchRun) -> BatchRun? {
    let undone = undone
    return last {
      $0.isUndoOfAll && $0.of == run.number && !undone.contains($0.number)
    }
  }
}

extension BatchRun {
  /// Whether the run has undone another one, or does so now.
  fileprivate var isUndoOfAll: Bool { kind == .undo && !isVoid }
}

extension PlannedRow {
  /// The row's number in the input; the rows of an undo run have other numbers.
  var origin: Int64 {
    if case .run(let operations) = decision, case .followUp(.undo(let row, _))? = operations.first {
      row
    } else {
      number
    }
  }
}

extension RowRecord {
  /// Whether a custom operation of the row was called and failed.
  fileprivate var hasBrokenStep: Bool {
    steps.contains { step in
      guard case .custom = step.intent.change, let outcome = step.outcome else { return false }
      return outcome.result == .failed
        && (outcome.attempts > 0 || outcome.fault?.code == RowFailure.inDoubt)
    }
  }

  /// The steps that changed something or are in doubt, last step first.
  var undoneSteps: [UndoneStep] {
    let made = steps.filter { $0.intent.step > 0 }
    return made.sorted { $1.intent.step < $0.intent.step }.compactMap { record in
      switch record.outcome?.result {
      case .done, .reconciled:
        UndoneStep(
          change: record.intent.change, before: record.intent.before,
          isInDoubt: mayBeTakenBack(record))
      case nil:
        UndoneStep(
          change: record.intent.change, before: record.intent.before, isInDoubt: true)
      case .already, .failed, .takenBack: nil
      }
    }
  }

  /// The row of an undo run that undoes this row.
  func undoing(as number: Int64) -> PlannedRow {
    PlannedRow(
      number: number, line: row.line, key: row.key, input: row.input,
      decision: .run([.followUp(.undo(row: row.origin, steps: undoneSteps))]),
      reason: "undoes row \(row.origin)")
  }

  /// Whether a step was possibly taken back by a run that ended before it recorded that.
  ///
  /// False if several calls take it back: where only some were made, the undo fails, and the row says why.
  private func mayBeTakenBack(_ record: StepRecord) -> Bool {
    let parts = steps.filter {
      StepIntent.stepTakenBack(by: $0.intent.step) == record.intent.step
    }
    let inverse = record.intent.change.inverse(before: record.intent.before, after: nil)
    return inverse.changes.count == 1 && parts.contains { $0.outcome?.result != .failed }
  }
}

/// Creates the rows of an undo run one by one.
private actor UndoneRows {
  private var store: RowStore
  private let numbers: [Int64]
  private var position = 0

  init(_ store: RowStore, _ numbers: [Int64]) {
    self.store = store
    self.numbers = numbers
  }

  func next() async throws(BatchProblem) -> PlannedRow? {
    while position < numbers.count {
      let number = numbers[position]
      position += 1
      var store = store
      let found = try await store.row(number)
      self.store = store
      guard let record = found else { continue }
      return record.undoing(as: Int64(position))
    }
    return nil
  }
}

/// Creates the rows of a finalize run, which deletes the accounts that merges left behind.
struct Finalizing: Sendable {
  private let journal: any BatchJournal
  private let run: BatchRun
  /// Rows that earlier finalize runs have done, and rows that are undone.
  private let finished: Set<Int64>
  /// The number of rows with merges that are done but not finalized.
  let count: Int

  /// Reads which merges of a run are done, and which are already finalized.
  ///
  /// - Throws: Also if `progress` was canceled.
  init(
    _ run: BatchRun, of journal: any BatchJournal, _ progress: RowProgress = RowProgress()
  ) async throws(BatchProblem) {
    self.run = run
    self.journal = journal
    let runs = try await journal.runs()
    var finished = try await journal.undoneRows(of: run)
    let undone = runs.undone
    // A finalize run that was undone does not count.
    for other in runs
    where other.kind == .finalize && other.of == run.number && !undone.contains(other.number) {
      var pages = RowPages(journal, other, states: [.done])
      while let page = try await pages.next() {
        try progress.read(page.count)
        finished.formUnion(page.map(\.row.number))
      }
    }
    self.finished = finished
    var count = 0
    var pages = RowPages(journal, run, states: [.done])
    while let page = try await pages.next() {
      try progress.read(page.count)
      for record in page where !finished.contains(record.row.number) {
        if !record.merges.isEmpty { count += 1 }
      }
    }
    self.count = count
  }

  /// A function that returns the rows one after the other, then nil.
  func rows() -> @Sendable () async throws(BatchProblem) -> PlannedRow? {
    let source = FinalizedRows(
      RowPages(journal, run, states: [.done], withSteps: true), leavingOut: finished)
    return { () async throws(BatchProblem) in try await source.next() }
  }
}

extension RowRecord {
  /// The merges of the row as finalize operations; the survivors' gains are known only if the record has steps.
  var merges: [FollowUp] {
    guard case .run(let operations) = row.decision else { return [] }
    return operations.compactMap {
      guard case .merge(let survivor, let loser, _) = $0 else { return nil }
      let gains = steps.map(\.intent.change).filter { $0.links(to: survivor) }
      return .finalize(survivor: survivor, loser: loser, gains: gains)
    }
  }
}

extension Change {
  /// Whether the change links an identity to an account.
  fileprivate func links(to uid: String) -> Bool {
    guard case .update(let other, let body) = self else { return false }
    return ExactString(other) == ExactString(uid) && body["linkProviderUserInfo"] != nil
  }
}

private actor FinalizedRows {
  private var pages: RowPages
  private var page: ArraySlice<RowRecord> = []
  private let finished: Set<Int64>

  init(_ pages: RowPages, leavingOut finished: Set<Int64>) {
    self.pages = pages
    self.finished = finished
  }

  func next() async throws(BatchProblem) -> PlannedRow? {
    while true {
      while let record = page.popFirst() {
        let merges = record.merges
        guard !merges.isEmpty, !finished.contains(record.row.number) else { continue }
        return PlannedRow(
          number: record.row.number, line: record.row.line, key: record.row.key,
          input: record.row.input,
          decision: .run(merges.map { .followUp($0) }), reason: "ends the merge")
      }
      var pages = pages
      let next = try await pages.next()
      self.pages = pages
      guard let next else { return nil }
      page = next[...]
    }
  }
}
