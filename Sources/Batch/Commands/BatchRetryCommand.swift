import Host

/// `luath batch retry`: requeues failed and half-done rows.
enum BatchRetryCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch retry",
    summary:
      "Lets failed rows wait again, also half-done ones; with --execute it runs them at once.",
    operands: "PLAN|JOURNAL", options: BatchFollowUp.options + RowSelection.options,
    examples: [
      "luath batch retry plan.ndjson",
      "luath batch retry plan.ndjson --code quotaExceeded --execute --target production",
      "luath batch retry plan.ndjson --execute --target production",
    ])

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
          let count = try await requeue(selection, run, of: journal)
          return .success(try await report(run, count, selection, of: journal, command))
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
      let count = try await requeue(selection, run, of: journal)
      guard waiting + count > 0 else {
        return try await report(run, count, selection, of: journal, command)
      }
      return try await command.execute(run, of: journal, place)
    }
  }

  /// Requeues the chosen rows that failed or are half done, and returns their number.
  private static func requeue(
    _ selection: RowSelection, _ run: BatchRun, of journal: any BatchJournal
  ) async throws(BatchProblem) -> Int64 {
    if selection.isAll { return try await journal.retryFailed(run) }
    try selection.check(journal.header.columns)
    var count: Int64 = 0
    var pages = RowPages(journal, run, states: [.failed, .halfDone])
    while let page = try await pages.next() {
      let numbers = page.filter(selection.has).map(\.row.number)
      guard !numbers.isEmpty else { continue }
      try await journal.reopen(run, numbers)
      count += Int64(numbers.count)
    }
    return count
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
      "no row waits again, as \(undone.words(names, then: "tries the failed rows again"))")
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
    _ run: BatchRun, _ count: Int64, _ selection: RowSelection, of journal: any BatchJournal,
    _ command: BatchFollowUp
  ) async throws(BatchProblem) -> ExitStatus {
    let (console, subject) = (command.console, command.subject)
    guard count > 0 else {
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
