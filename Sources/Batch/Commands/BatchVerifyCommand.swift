import Host
import Synchronization

/// `luath batch verify`: compares the accounts with the state that the runs left.
enum BatchVerifyCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch verify",
    summary: "Reads the accounts again, and lists those that differ from the plan.",
    operands: "PLAN|JOURNAL",
    options: BatchRunOptions.targetOptions + BatchSubject.options.filter { $0.name != "run" }
      // Rows that failed are not verified.
      + RowSelection.options.filter { $0.name != "code" } + [
        Option(
          "after", "RUN:ROW", "continue after this row, where a check was interrupted",
          default: "the first row"),
        Option("all", nil, "print every row that differs, not only the first 20"),
        Option("trace", nil, "print a line for each HTTP exchange, without secrets"),
      ],
    examples: ["luath batch verify rows.plan.ndjson --target trial"],
    exits: [
      .ok: "all accounts are as the runs left them",
      .failed: "accounts differ, or rows are half done", .notLoaded: BatchSubject.unloadable,
      .unavailable: "the target or the journal cannot be used", .nothing: "there are no rows",
      .interrupted: "interrupted",
    ])

  /// The maximum number of differences to print without `--all`.
  private static let most: Int64 = 20

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let subject = try BatchSubject(arguments, console, "luath batch verify")
    try BatchTarget.require(arguments, console, "luath batch verify")
    let selection = try RowSelection(arguments)
    let most = arguments.flags.contains("all") ? Int64.max : most
    let start = try arguments.values["after"].map(place)
    return await BatchSubject.report(console) { () async throws(BatchProblem) in
      try await subject.use { (journal) async throws(BatchProblem) in
        try selection.check(journal.header.columns)
        if let start { try await require(start, in: journal, subject) }
        let place: ResolvedTarget
        do throws(CommandFailure) {
          place = try await BatchTarget.place(arguments, journal.header, console)
        } catch {
          return .failure(error)
        }
        let progress = RowProgress()
        let findings = try await progress.show(console, "checked", faults: "differ") {
          () async throws(BatchProblem) in
          try await BatchSubject.withReader(
            place, tenantID: journal.header.tenantID, console,
            trace: arguments.flags.contains("trace")
          ) { (look) async throws(BatchProblem) in
            var verifier = Verifier(journal, selection, look: look)
            var shown: Int64 = 0
            try await verifier.run(after: start, progress) { (difference) throws(BatchProblem) in
              shown += 1
              guard shown <= most else { return }
              progress.clear(console)
              console.writeOutput("\(words(difference))\n")
            }
            return verifier.findings
          }
        }
        if findings.differences + findings.halfDone > most {
          let more = findings.differences + findings.halfDone - most
          console.writeOutput("… and \(more) more, which --all prints as well\n")
        }
        if findings.rows > 0 || findings.end == nil { console.writeOutput(summary(findings)) }
        if findings.halfDone > 0 { console.writeOutput(repair(findings, subject)) }
        if let end = findings.end {
          if end.row == 0 {
            console.report("interrupted before a row was checked", hint: "run it again")
          } else {
            console.report(
              "interrupted behind row \(end.row) of run \(end.run)",
              hint: "the same command with --after \(end.run):\(end.row) checks the rest")
          }
          return .success(.code(.interrupted))
        }
        if findings.different + findings.halfDone > 0 { return .success(.code(.failed)) }
        return .success(.code(findings.rows == 0 ? .nothing : .ok))
      }
    }
  }

  private static func place(_ text: String) throws(UsageError) -> Verifier.Place {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2, let run = parts[0], run > 0, let row = parts[1], row >= 0 else {
      throw UsageError(
        "--after takes the run and the row that an interrupted check named, such as 1:5000, not "
          + "'\(text.printable)'")
    }
    return Verifier.Place(run: run, row: row)
  }

  /// Throws if the journal does not have the run of `--after`.
  private static func require(
    _ start: Verifier.Place, in journal: any BatchJournal, _ subject: BatchSubject
  ) async throws(BatchProblem) {
    let runs = try await journal.runs()
    guard !runs.contains(where: { $0.number == start.run }) else { return }
    throw BatchProblem(
      .usage,
      "--after \(start.run):\(start.row): the journal has no run \(start.run): it has \(runs.count)",
      hint: "luath batch status \(subject.shown) lists them")
  }

  private static func words(_ difference: Verifier.Difference) -> String {
    let run = difference.run.kind == .run ? "" : " of run \(difference.run.number)"
    return "row \(difference.row)\(run) (\(difference.key.printable)): "
      + difference.causes.map(\.printable).joined(separator: "; ")
  }

  private static func summary(_ findings: Verifier.Findings) -> String {
    let (good, proved) = (findings.rows - findings.different, findings.proved)
    var text = "\(good) of \(BatchDisplay.rows(findings.rows)) "
    text += "\(good == 1 ? "is" : "are") as planned: "
    text += "\(proved) \(proved == 1 ? "change" : "changes") seen"
    if findings.superseded > 0 { text += ", \(findings.superseded) set again or undone later" }
    if findings.unseen > 0 {
      text += ", \(findings.unseen) of custom operations that no account shows"
    }
    text += "\n"
    if findings.unfinished > 0 {
      let isOne = findings.unfinished == 1
      text += "\(BatchDisplay.rows(findings.unfinished)) \(isOne ? "is" : "are") not done, "
      text += "and nothing was expected of \(isOne ? "it" : "them")\n"
    }
    return text
  }

  private static func repair(_ findings: Verifier.Findings, _ subject: BatchSubject) -> String {
    "\(BatchDisplay.halfDone(findings.halfDone)): luath batch status \(subject.shown) shows how to repair "
      + "\(findings.halfDone == 1 ? "it" : "them")\n"
  }
}
