import Host

/// `luath batch retry`: requeues failed rows.
enum BatchRetryCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch retry",
    summary: "Lets failed rows wait again; with --execute it runs them at once.",
    operands: "PLAN|JOURNAL", options: BatchFollowUp.options,
    examples: [
      "luath batch retry plan.ndjson",
      "luath batch retry plan.ndjson --execute --target production",
    ])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let command = try BatchFollowUp(arguments, console, "luath batch retry")
    guard command.isExecuted else {
      return await BatchSubject.report(console) { () async throws(BatchProblem) in
        try await command.subject.use { (journal) async throws(BatchProblem) in
          guard let run = try await run(of: journal, command) else {
            return .success(.code(.nothing))
          }
          return .success(try await report(run, journal.retryFailed(run), of: journal, command))
        }
      }
    }
    try BatchTarget.require(arguments, console, "luath batch retry")
    return await command.use { (journal, place) async throws(BatchProblem) in
      guard let run = try await run(of: journal, command) else { return .code(.nothing) }
      let count = try await journal.retryFailed(run)
      let left = try await JournalSummary(run, of: journal).left
      guard left > 0 else { return try await report(run, count, of: journal, command) }
      return try await command.execute(run, of: journal, place)
    }
  }

  /// The requested run, or else the last run with failed rows that is not undone.
  ///
  /// Nil when the run is undone, after printing that: the existing undo would not cover the changes of a retry.
  private static func run(
    of journal: any BatchJournal, _ command: BatchFollowUp
  ) async throws(BatchProblem) -> BatchRun? {
    let subject = command.subject
    var run = try await subject.run(of: journal, with: .failed)
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
    where try await journal.tally(run).rows[.failed] ?? 0 > 0 { found.append(run) }
    return found
  }

  private static func report(
    _ run: BatchRun, _ count: Int64, of journal: any BatchJournal, _ command: BatchFollowUp
  ) async throws(BatchProblem) -> ExitStatus {
    let (console, subject) = (command.console, command.subject)
    guard count > 0 else {
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
