import Host

/// `luath batch retry`: requeues failed and half-done rows.
enum BatchRetryCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch retry",
    summary: "Requeues failed and half-done rows; with --execute it runs them at once.",
    operands: "PLAN|JOURNAL", options: BatchFollowUp.options + RowSelection.options,
    examples: [
      "luath batch retry rows.plan.ndjson",
      "luath batch retry rows.plan.ndjson --code quotaExceeded --execute --target trial",
      "luath batch retry rows.plan.ndjson --execute --target trial",
    ],
    exits: BatchRunOptions.exits)

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let command = try BatchFollowUp(arguments, console, "luath batch retry")
    let selection = try RowSelection(arguments)
    guard command.isExecuted else {
      return await BatchSubject.report(console) { () async throws(BatchProblem) in
        try await command.useJournal { (journal) async throws(BatchProblem) in
          guard let run = try await run(of: journal, command) else {
            return .success(.code(.nothing))
          }
          let requeued = try await requeue(selection, run, of: journal)
          return .success(try await report(run, requeued, selection, of: journal, command))
        }
      }
    }
    try BatchTarget.require(arguments, console, "luath batch retry")
    return await command.use { (journal, place) async throws(BatchProblem) in
      guard let run = try await run(of: journal, command) else { return .code(.nothing) }
      let waiting = try await JournalSummary(run, of: journal).left
      guard selection.isAll || waiting == 0 else {
        throw BatchProblem(
          .usage,
          "--execute would also run the \(BatchDisplay.rows(waiting)) of \(run.title) that "
            + (waiting == 1 ? "waits" : "wait"),
          hint: "first \(command.subject.command(run)), or leave out --execute")
      }
      let requeued = try await requeue(selection, run, of: journal)
      guard waiting + requeued.rows > 0 else {
        return try await report(run, requeued, selection, of: journal, command)
      }
      if requeued.inDoubt > 0 { command.console.writeOutput(words(requeued, run, command)) }
      return try await command.execute(run, of: journal, place)
    }
  }

  /// How many of the chosen rows wait again, and how many stay because they are in doubt.
  private struct Requeued {
    var rows: Int64 = 0
    var inDoubt: Int64 = 0
  }

  /// Requeues the chosen rows that failed or are half done.
  ///
  /// Rows in doubt stay unless `--code` names them, because their operation may be carried out a second time.
  private static func requeue(
    _ selection: RowSelection, _ run: BatchRun, of journal: any BatchJournal
  ) async throws(BatchProblem) -> Requeued {
    try selection.check(journal.header.columns)
    let takesDoubts = selection.names(code: RowFailure.inDoubt)
    var requeued = Requeued()
    var numbers: [Int64] = []
    var pages = RowPages(journal, run, states: [.failed, .halfDone])
    while let page = try await pages.next() {
      let chosen = page.filter(selection.has)
      let rows = chosen.filter { takesDoubts || $0.fault?.code != RowFailure.inDoubt }
      requeued.inDoubt += Int64(chosen.count - rows.count)
      numbers += rows.map(\.row.number)
    }
    // All at once, because each call sorts the rows that wait again.
    try await journal.reopen(run, numbers)
    requeued.rows = Int64(numbers.count)
    return requeued
  }

  /// What to do about the rows in doubt.
  private static func words(
    _ requeued: Requeued, _ run: BatchRun, _ command: BatchFollowUp
  ) -> String {
    let choice = command.subject.number.map { " --run \($0)" } ?? ""
    return
      "\(BatchDisplay.rows(requeued.inDoubt)) in doubt \(requeued.inDoubt == 1 ? "stays" : "stay"): look at each, then "
      + "luath batch resolve \(command.subject.shown)\(choice); --code inDoubt carries them out again\n"
  }

  /// The requested run, or else the last run with failed rows that is not undone.
  ///
  /// Nil when the run is undone, after printing that: the existing undo would not cover the changes of a retry.
  private static func run(
    of journal: any BatchJournal, _ command: BatchFollowUp
  ) async throws(BatchProblem) -> BatchRun? {
    let subject = command.subject
    var run = try await subject.run(of: journal, with: [.failed, .halfDone])
    if subject.number == nil {
      let undone = try await journal.runs().undone
      let failed = try await withFailedRows(journal).first { !undone.contains($0.number) }
      run = failed ?? run
    }
    guard let undone = try await BatchUndone(run, of: journal) else { return run }
    let names = (subject.shown, subject.target)
    command.console.writeOutput(
      "no row is pending again, as \(undone.words(names, then: "tries the failed rows again"))")
    return nil
  }

  /// The runs with failed rows, last run first.
  private static func withFailedRows(
    _ journal: any BatchJournal
  ) async throws(BatchProblem) -> [BatchRun] {
    var found: [BatchRun] = []
    for run in try await journal.runs().reversed()
    where try await journal.tally(run).failed > 0 { found.append(run) }
    return found
  }

  private static func report(
    _ run: BatchRun, _ requeued: Requeued, _ selection: RowSelection,
    of journal: any BatchJournal, _ command: BatchFollowUp
  ) async throws(BatchProblem) -> ExitStatus {
    let (console, subject) = (command.console, command.subject)
    let count = requeued.rows
    if requeued.inDoubt > 0 { console.writeOutput(words(requeued, run, command)) }
    guard count > 0 else {
      if requeued.inDoubt > 0 { return .code(.nothing) }
      if !selection.isAll {
        console.report(
          "no failed row of \(run.subject) is chosen",
          hint: "luath batch export \(subject.shown) --failed has them")
        return .code(.nothing)
      }
      let others = try await withFailedRows(journal)
      let other = others.first { $0.number != run.number }
      console.report(
        subject.number == nil && run.number > 1
          ? "no run of the journal has failed rows" : "\(run.subject) has no failed rows",
        hint: other.map {
          "run \($0.number) has: luath batch retry \(subject.shown) --run \($0.number)\(subject.target)"
        })
      return .code(.nothing)
    }
    console.writeOutput(
      "\(count) failed \(count == 1 ? "row waits" : "rows wait") again\n"
        + "next: \(subject.command(run))\n")
    return .code(.ok)
  }
}
