import Encoding

/// Makes the rows of a run that takes another one back: the row that ended last comes first, and of each row
/// the last step.
///
/// What each row was is read from the journal again when it is asked for.
public struct Undoing: Sendable {
  /// The run that is taken back.
  public let run: BatchRun
  private let journal: any BatchJournal
  /// The rows that did something, in the order in which they are taken back.
  private let numbers: [Int64]
  /// Whether a row has a step that nobody knows the end of.
  public let hasDoubts: Bool
  /// The rows, by their numbers in the input, in which an operation of the script's own failed on its way: what
  /// it did before is not known, and is left.
  public let broken: [Int64]

  /// How many rows did something.
  public var count: Int { numbers.count }

  /// Reads what a run did.
  public init(_ run: BatchRun, of journal: any BatchJournal) async throws(BatchProblem) {
    self.run = run
    self.journal = journal
    var found: [(at: Int64, number: Int64)] = []
    var hasDoubts = false
    var broken: [Int64] = []
    var pages = RowPages(journal, run, withSteps: true)
    while let page = try await pages.next() {
      for record in page {
        let steps = record.undoneSteps
        hasDoubts = hasDoubts || steps.contains(where: \.isInDoubt)
        if record.hasBrokenStep { broken.append(record.row.origin) }
        guard !steps.isEmpty, let last = record.steps.map(\.intent.at).max() else { continue }
        found.append((last, record.row.number))
      }
    }
    // Rows that were tried again came later than those behind them.
    found.sort { ($1.at, $1.number) < ($0.at, $0.number) }
    numbers = found.map(\.number)
    self.hasDoubts = hasDoubts
    self.broken = broken
  }

  /// Gives the rows one after the other, and nil behind the last.
  public func rows() -> @Sendable () async throws(BatchProblem) -> PlannedRow? {
    let source = UndoneRows(RowStore(journal, run), numbers)
    return { () async throws(BatchProblem) in try await source.next() }
  }
}

extension [BatchRun] {
  /// The numbers of the runs that are taken back: an undo that was undone itself does not count.
  public var undone: Set<Int64> {
    var undone: Set<Int64> = []
    for run in reversed() where run.kind == .undo && !undone.contains(run.number) {
      if let other = run.of { undone.insert(other) }
    }
    return undone
  }

  /// The run that took another one back, and was not undone itself; nil when there is none.
  public func undo(of run: BatchRun) -> BatchRun? {
    let undone = undone
    return last {
      $0.kind == .undo && $0.of == run.number && !undone.contains($0.number)
    }
  }
}

extension PlannedRow {
  /// Its number in the input, by which a person knows it: the rows of an undo have numbers of their own.
  var origin: Int64 {
    if case .run(let operations) = decision, case .followUp(.undo(let row, _))? = operations.first {
      row
    } else {
      number
    }
  }
}

extension RowRecord {
  /// Whether an operation of the script's own was called, and failed.
  fileprivate var hasBrokenStep: Bool {
    steps.contains { step in
      guard case .custom = step.intent.change, let outcome = step.outcome else { return false }
      return outcome.result == .failed && outcome.attempts > 0
    }
  }

  /// What the row has changed, or may have, its last step first.
  var undoneSteps: [UndoneStep] {
    steps.sorted { $1.intent.step < $0.intent.step }.compactMap { record in
      switch record.outcome?.result {
      case .done, .reconciled:
        UndoneStep(change: record.intent.change, before: record.intent.before)
      case nil:
        UndoneStep(
          change: record.intent.change, before: record.intent.before, isInDoubt: true)
      case .already, .failed: nil
      }
    }
  }
}

/// The rows of an undo, made one by one.
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
      return PlannedRow(
        number: Int64(position), line: record.row.line, key: record.row.key,
        input: record.row.input,
        decision: .run([.followUp(.undo(row: record.row.origin, steps: record.undoneSteps))]),
        reason: "undoes row \(record.row.origin)")
    }
    return nil
  }
}
