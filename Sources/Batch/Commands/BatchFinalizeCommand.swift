import Host

/// `luath batch finalize`: deletes the accounts that merges left behind.
enum BatchFinalizeCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch finalize",
    summary: "Deletes the losers of merges; without --execute it only says which.",
    operands: "PLAN|JOURNAL", options: BatchFollowUp.options,
    examples: [
      "luath batch finalize plan.ndjson --target production",
      "luath batch finalize plan.ndjson --execute --target production",
    ])

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
        .usage, "\(run.subject) has no merges of its own", hint: "leave --run out")
    }
    let runs = try await journal.runs()
    if runs.undone.contains(run.number) {
      console.report("\(run.subject) is undone, so there is nothing left of its merges")
      return .code(.nothing)
    }
    for begun in runs where begun.kind == .finalize && begun.of == run.number {
      if let status = try await command.goOn(with: begun, of: journal, place) { return status }
    }
    let finalizing = try await Finalizing(run, of: journal)
    guard finalizing.count > 0 else {
      console.report("there is no merge that is done and not finalized")
      return .code(.nothing)
    }
    return try await command.begin(.finalize, of: run, finalizing.rows, of: journal, place)
  }
}
