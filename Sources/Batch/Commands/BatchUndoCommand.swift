import Host

/// `luath batch undo`: undoes the changes of a run, last row first.
enum BatchUndoCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch undo",
    summary: "Reverses a run; without --execute it only shows what it would do.",
    operands: "PLAN|JOURNAL", options: BatchFollowUp.options + RowSelection.options,
    examples: [
      "luath batch undo rows.plan.ndjson --target trial",
      "luath batch undo rows.plan.ndjson --rows 3,7-9 --execute --target trial",
      "luath batch undo rows.plan.ndjson --execute --target trial",
      "luath batch undo rows.plan.ndjson --run 2 --execute --target trial",
    ],
    exits: BatchRunOptions.exits)

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let selection = try RowSelection(arguments)
    return try await BatchFollowUp.run(
      "luath batch undo", arguments, console
    ) { (command, journal, place) async throws(BatchProblem) in
      try selection.check(journal.header.columns)
      return try await undo(selection, command, journal, place)
    }
  }

  private static func undo(
    _ selection: RowSelection, _ command: BatchFollowUp, _ journal: any BatchJournal,
    _ place: ResolvedTarget
  ) async throws(BatchProblem) -> ExitStatus {
    let console = command.console
    let subject = command.subject
    let runs = try await journal.runs()
    for begun in runs.reversed()
    where begun.kind.isUndo && (subject.number == nil || begun.of == subject.number) {
      if !selection.isAll, try await JournalSummary(begun, of: journal).left > 0 {
        throw BatchProblem(
          .usage, "\(begun.subject) is not finished, so no other rows can be chosen yet",
          hint: "first \(subject.command(begun))")
      }
      if let status = try await command.goOn(with: begun, of: journal, place) { return status }
    }
    let undone = runs.undone
    let run: BatchRun
    if subject.number == nil, !runs.contains(where: { isCandidate($0, undone) }) {
      let failed = try await failed(runs, journal)
      console.report(
        "every run of the journal is undone already",
        hint: failed.map {
          "rows that run \($0) left as they are are tried again by luath batch retry "
            + "\(subject.shown) --run \($0)\(subject.target) --execute"
        }
          ?? "an undo is a run itself: luath batch undo \(subject.shown) --run N\(subject.target) takes "
          + "it back")
      return .code(.nothing)
    } else {
      run = try await subject.run(of: journal) { isCandidate($0, undone) }
      if let undo = runs.undo(of: run) {
        console.report(
          "\(run.subject) is undone by run \(undo.number) already",
          hint:
            "luath batch undo \(subject.shown) --run \(undo.number)\(subject.target) takes that back"
        )
        return .code(.nothing)
      }
    }
    let later = runs.filter {
      $0.number > run.number && !undone.contains($0.number) && !$0.kind.isUndo
    }
    if let other = later.first {
      console.warn(
        "\(other.subject) came later and is not undone",
        hint: "what it changed is left as it is; undo it first")
    }
    return try await undo(run, selection, command, journal, place)
  }

  /// The number of the last undo with failed rows.
  private static func failed(
    _ runs: [BatchRun], _ journal: any BatchJournal
  ) async throws(BatchProblem) -> Int64? {
    for run in runs.reversed() where run.kind.isUndo {
      if try await journal.tally(run).failed > 0 { return run.number }
    }
    return nil
  }

  /// Whether the run may be undone without `--run`: it is not undone, and is not itself an undo.
  private static func isCandidate(_ run: BatchRun, _ undone: Set<Int64>) -> Bool {
    !run.kind.isUndo && !undone.contains(run.number)
  }

  private static func undo(
    _ run: BatchRun, _ selection: RowSelection, _ command: BatchFollowUp,
    _ journal: any BatchJournal, _ place: ResolvedTarget
  ) async throws(BatchProblem) -> ExitStatus {
    let console = command.console
    let progress = RowProgress()
    let undoing = try await progress.show(console, "read") { () async throws(BatchProblem) in
      try await Undoing(run, of: journal, selection, progress)
    }
    if !undoing.broken.isEmpty {
      let numbers = undoing.broken.prefix(5).map(String.init).joined(separator: ", ")
      let more = undoing.broken.count > 5 ? ", …" : ""
      let count = Int64(undoing.broken.count)
      console.warn(
        "in \(BatchDisplay.rows(count)) a custom operation failed before its end, and what it had done "
          + "by then is left (input \(count == 1 ? "row" : "rows") \(numbers)\(more))",
        hint:
          "luath batch export \(command.subject.shown) --failed lists them, each with its message; check these accounts by hand"
      )
    }
    if undoing.unfinished > 0 {
      let isOne = undoing.unfinished == 1
      console.warn(
        "\(BatchDisplay.rows(undoing.unfinished)) of the chosen \(isOne ? "is" : "are") not done, and "
          + "\(isOne ? "is" : "are") left",
        hint:
          "finish \(isOne ? "it" : "them") with run, retry or resolve first, or undo the whole run")
    }
    guard undoing.count > 0 else {
      console.report(
        selection.isAll
          ? "\(run.subject) has changed nothing that could be undone"
          : "no row with changes of \(run.subject) is chosen",
        hint: selection.isAll ? nil : "luath batch export \(command.subject.shown) --done has them")
      return .code(.nothing)
    }
    // A call that a dead process sent may still arrive.
    if undoing.hasDoubts, command.isExecuted {
      try? await Task.sleep(for: command.options.settings.settleTime)
    }
    // Another process may have worked on a shared run until the undo begins.
    let rows = command.isExecuted && command.subject.isShared ? undoing.rowsAsTheyAre : undoing.rows
    return try await command.begin(
      selection.isAll ? .undo : .undoRows, of: run, rows, of: journal, place)
  }
}

/// A run that another run has undone.
struct BatchUndone {
  let run: BatchRun
  let undo: BatchRun
  /// The unfinished rows of the run.
  let left: Int64
  private let taken: BatchTally

  /// Finds the undo of a run; nil if there is none.
  init?(_ run: BatchRun, of journal: any BatchJournal) async throws(BatchProblem) {
    guard let undo = try await journal.runs().undo(of: run) else { return nil }
    self.run = run
    self.undo = undo
    let tally = try await journal.tally(run)
    left = (tally.rows[.waiting] ?? 0) + (tally.rows[.claimed] ?? 0)
    taken = try await journal.tally(undo)
  }

  /// The number of rows undone.
  var rows: Int64 { taken.rows[.done] ?? 0 }
  /// The number of rows still to undo.
  var open: Int64 { (taken.rows[.waiting] ?? 0) + (taken.rows[.claimed] ?? 0) }

  /// One line that says that the run is undone.
  var summary: String {
    "\(run.subject) is undone: run \(undo.number) took \(BatchDisplay.rows(rows)) of it back"
  }

  /// The summary, with the commands that continue or undo the undo.
  ///
  /// - Parameter plan: The plan for suggested commands, and the target options after it.
  /// - Parameter next: What the same command does once the undo is undone; nil if it continues the run.
  func words(_ plan: (name: String, target: String), then next: String? = nil) -> String {
    var text = "\(summary)\n"
    if open > 0 {
      text += "run \(undo.number) has \(BatchDisplay.rows(open)) left: "
      text += "luath batch undo \(plan.name)\(plan.target) --execute continues it\n"
    }
    text += "to do it again: luath batch undo \(plan.name) --run \(undo.number)\(plan.target) "
    text += "--execute takes the undo back"
    let rest = "\(BatchDisplay.rows(left)) that \(left == 1 ? "is" : "are") left"
    if let next = next ?? (left > 0 ? "continues with the \(rest)" : nil) {
      text += ", and then the same command \(next)"
    }
    return text + "\n"
  }
}

/// `luath batch finalize`: deletes the accounts that merges left behind.
enum BatchFinalizeCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch finalize",
    summary: "Deletes the losers of merges; without --execute it only lists them.",
    operands: "PLAN|JOURNAL", options: BatchFollowUp.options,
    examples: [
      "luath batch finalize rows.plan.ndjson --target trial",
      "luath batch finalize rows.plan.ndjson --execute --target trial",
    ],
    exits: BatchRunOptions.exits)

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    try await BatchFollowUp.run(
      "luath batch finalize", arguments, console
    ) { (command, journal, place) async throws(BatchProblem) in
      try await finalize(command, journal, place)
    }
  }

  private static func finalize(
    _ command: BatchFollowUp, _ journal: any BatchJournal, _ place: ResolvedTarget
  ) async throws(BatchProblem) -> ExitStatus {
    let console = command.console
    let run = try await command.subject.run(of: journal) { $0.kind == .run }
    guard run.kind == .run else {
      throw BatchProblem(
        .usage, "\(run.subject) has no merges", hint: "leave --run out")
    }
    let runs = try await journal.runs()
    if runs.undone.contains(run.number) {
      console.report("\(run.subject) is undone, so there is nothing left of its merges")
      return .code(.nothing)
    }
    for begun in runs where begun.kind == .finalize && begun.of == run.number {
      if let status = try await command.goOn(with: begun, of: journal, place) { return status }
    }
    let progress = RowProgress()
    let finalizing = try await progress.show(console, "read") { () async throws(BatchProblem) in
      try await Finalizing(run, of: journal, progress)
    }
    guard finalizing.count > 0 else {
      console.report("there is no merge that is done and not finalized")
      return .code(.nothing)
    }
    return try await command.begin(.finalize, of: run, finalizing.rows, of: journal, place)
  }
}
