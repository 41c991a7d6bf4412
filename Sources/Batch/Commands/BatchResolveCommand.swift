import Host
import System

/// `luath batch resolve`: records what a person found out about operations of the script whose outcome is unknown.
enum BatchResolveCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch resolve",
    summary:
      "Lists the script's operations whose result is unknown, and settles them after you checked.",
    operands: "PLAN|JOURNAL",
    options: [
      Option("done", nil, "the operations of the chosen rows were carried out"),
      Option("not-done", nil, "they were not carried out, and will be"),
    ] + RowSelection.options + BatchSubject.options,
    examples: [
      "luath batch resolve rows.plan.ndjson",
      "luath batch resolve rows.plan.ndjson --done --rows 3,7-9",
    ],
    exits: [
      .ok: "rows were listed or settled", .notLoaded: BatchSubject.unloadable,
      .unavailable: BatchSubject.unavailable, .nothing: "no row is in doubt",
    ])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let subject = try BatchSubject(arguments, console, "luath batch resolve")
    let selection = try RowSelection(arguments)
    let answers = ["done", "not-done"].filter(arguments.flags.contains)
    guard answers.count < 2 else {
      throw UsageError("an operation is done or not: give one of --done and --not-done")
    }
    guard answers.isEmpty || !selection.isAll else {
      throw UsageError(
        "luath batch resolve --\(answers[0]) needs the rows that you have looked at",
        hint: "choose them with --rows, --key or --where; without --\(answers[0]) it lists them")
    }
    return await BatchSubject.report(console) { () async throws(BatchProblem) in
      try await subject.use { (journal) async throws(BatchProblem) in
        try selection.check(journal.header.columns)
        let (run, rows) = try await doubts(selection, of: journal, subject)
        let holders = try await (journal as? PostgresJournal)?.holders(of: run) ?? []
        if !holders.isEmpty {
          console.warn(
            "rows that a process has are not looked at: "
              + holders.map(\.text).joined(separator: "; "),
            hint:
              "end the process; if it is dead, \(subject.command(run)) takes its rows over, at the latest after this time"
          )
        }
        guard !rows.isEmpty else {
          console.report(
            "no \(holders.isEmpty ? "" : "other ")row of \(run.subject) "
              + "\(selection.isAll ? "is" : "that is chosen is") in doubt")
          return .success(.code(.nothing))
        }
        guard let answer = answers.first else {
          for row in rows { console.writeOutput(row.text) }
          console.writeOutput(
            "next: look at each, then luath batch resolve \(subject.shown) --done --rows LIST, or --not-done\n"
          )
          return .success(.code(.ok))
        }
        for row in rows { try await row.settle(isDone: answer == "done", run, in: journal) }
        try await journal.flush()
        console.writeOutput(
          "\(BatchDisplay.rows(Int64(rows.count))) \(rows.count == 1 ? "waits" : "wait") again\n"
            + "next: \(subject.command(run))\n")
        return .success(.code(.ok))
      }
    }
  }

  /// The chosen rows in doubt of the requested run, or else of the last run that has any.
  private static func doubts(
    _ selection: RowSelection, of journal: any BatchJournal, _ subject: BatchSubject
  ) async throws(BatchProblem) -> (BatchRun, [RowInDoubt]) {
    let runs = try await journal.runs()
    let undone = runs.undone
    let last = try await subject.run(of: journal)
    for run in subject.number == nil ? runs.reversed() : [last] where !undone.contains(run.number) {
      var rows: [RowInDoubt] = []
      var pages = RowPages(journal, run, states: [.waiting, .failed, .halfDone], withSteps: true)
      while let page = try await pages.next() {
        rows += page.filter(selection.has).compactMap(RowInDoubt.init)
      }
      if !rows.isEmpty { return (run, rows) }
    }
    return (last, [])
  }
}

extension RowHolder {
  fileprivate var text: String {
    "\(name.printable) has \(BatchDisplay.rows(rows)) until \(until) UTC, or longer if it renews its lease"
  }
}

/// A row with an operation of the script whose outcome is unknown.
private struct RowInDoubt {
  private let record: RowRecord
  private let step: StepRecord

  /// Nil if no operation of the row is in doubt; luath finds out by itself about all other steps.
  init?(_ record: RowRecord) {
    let step = record.steps.last { step in
      guard !step.intent.change.isVisible else { return false }
      guard let outcome = step.outcome else { return true }
      return outcome.result == .failed && outcome.fault?.code == RowFailure.inDoubt
    }
    guard let step else { return nil }
    self.record = record
    self.step = step
  }

  var text: String {
    let row = record.row
    let change = RowSecrets(row, steps: record.steps).masked(step.intent.change.json)
    return "row \(row.origin) (\(row.key.printable)): \(change.encoded().printable), begun "
      + "\(Timestamp.text(milliseconds: step.intent.at))\n"
  }

  /// Records whether the operation was carried out, and lets the row wait again.
  func settle(
    isDone: Bool, _ run: BatchRun, in journal: any BatchJournal
  ) async throws(BatchProblem) {
    let outcome = StepOutcome(
      row: record.row.number, step: step.intent.step, result: isDone ? .reconciled : .failed,
      fault: isDone ? nil : RowFailure("notDone", "the operator found that it was not carried out"),
      at: Timestamp.now, microseconds: step.outcome?.microseconds ?? 0,
      attempts: isDone ? step.outcome?.attempts ?? 0 : 0)
    journal.settle(run, outcome, row: record.row.number, end: nil, fault: nil)
    try await journal.reopen(run, [record.row.number])
  }
}
