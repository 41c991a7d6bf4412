import Batch
import Scripting

/// `luath batch undo`: takes back what a run changed, the last row first.
enum BatchUndoCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch undo",
    summary: "Takes a run back; without --execute it only says what it would do.",
    operands: "PLAN|JOURNAL", options: BatchFollowUp.options,
    examples: [
      "luath batch undo plan.ndjson --target production",
      "luath batch undo plan.ndjson --execute --target production",
      "luath batch undo plan.ndjson --run 2 --execute --target production",
    ])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let command = try BatchFollowUp(arguments, console, "luath batch undo")
    try BatchTarget.require(arguments, console, "luath batch undo")
    return await command.use { (journal, place) async throws(BatchProblem) in
      try await undo(command, journal, place)
    }
  }

  private static func undo(
    _ command: BatchFollowUp, _ journal: any BatchJournal, _ place: Place
  ) async throws(BatchProblem) -> ExitStatus {
    let console = command.console
    let subject = command.subject
    let runs = try await journal.runs()
    if let begun = try await unfinished(runs, journal, subject.number) {
      let left = try await JournalSummary(begun, of: journal).left
      console.writeOutput("\(begun.title) has \(left) rows left\n")
      guard command.isExecuted else {
        console.writeOutput("next: luath batch undo \(subject.shown) --execute goes on\n")
        return .code(.ok)
      }
      return try await command.execute(begun, of: journal, place)
    }
    let undone = runs.undone
    let run: BatchRun
    if subject.number == nil, !runs.contains(where: { isCandidate($0, undone) }) {
      let failed = try await failed(runs, journal)
      console.report(
        "every run of the journal is undone already",
        hint: failed.map {
          "rows that run \($0) left as they are are tried again by luath batch retry "
            + "\(subject.shown) --run \($0) --execute"
        } ?? "an undo is a run itself: luath batch undo \(subject.shown) --run N takes it back")
      return .code(.nothing)
    } else {
      run = try await subject.run(of: journal) { isCandidate($0, undone) }
    }
    let later = runs.filter {
      $0.number > run.number && !undone.contains($0.number) && $0.kind != .undo
    }
    if let other = later.first {
      console.warn(
        "\(other.title) came later and is not undone",
        hint: "what it changed is left as it is; undo it first")
    }
    return try await undo(run, command, journal, place)
  }

  /// The last undo that has failed rows.
  private static func failed(
    _ runs: [BatchRun], _ journal: any BatchJournal
  ) async throws(BatchProblem) -> Int64? {
    for run in runs.reversed() where run.kind == .undo {
      if try await journal.tally(run).rows[.failed] ?? 0 > 0 { return run.number }
    }
    return nil
  }

  /// Runs that are undone when none is named: not those that undo others.
  private static func isCandidate(_ run: BatchRun, _ undone: Set<Int64>) -> Bool {
    run.kind != .undo && !undone.contains(run.number)
  }

  /// An undo that was begun and not ended.
  private static func unfinished(
    _ runs: [BatchRun], _ journal: any BatchJournal, _ number: Int64?
  ) async throws(BatchProblem) -> BatchRun? {
    for run in runs.reversed() where run.kind == .undo {
      if let number, run.of != number { continue }
      let tally = try await journal.tally(run)
      if (tally.rows[.waiting] ?? 0) + (tally.rows[.claimed] ?? 0) > 0 { return run }
    }
    return nil
  }

  private static func undo(
    _ run: BatchRun, _ command: BatchFollowUp, _ journal: any BatchJournal, _ place: Place
  ) async throws(BatchProblem) -> ExitStatus {
    let console = command.console
    let undoing = try await Undoing(run, of: journal)
    guard undoing.count > 0 else {
      console.report("\(run.title) has changed nothing, so there is nothing to undo")
      return .code(.nothing)
    }
    guard command.isExecuted else {
      let preview = try await command.preview(undoing.rows(), of: journal, place)
      console.writeOutput(
        "\(run.title): \(preview.text("undone"))"
          + "nothing was changed; the same command with --execute does it\n")
      return .code(preview.rows == preview.kept.count ? .failed : .ok)
    }
    // What a dead runner sent may still arrive.
    if undoing.hasDoubts { try? await Task.sleep(for: command.options.settings.settleTime) }
    let undo = try await journal.add(.undo, of: run.number, rows: undoing.rows())
    return try await command.execute(undo, of: journal, place)
  }
}
