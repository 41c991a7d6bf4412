import Batch
import Scripting

/// `luath batch retry`: lets failed rows wait again.
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
          let run = try await command.subject.run(of: journal, with: .failed)
          return .success(report(run, try await journal.retryFailed(run), command))
        }
      }
    }
    try BatchTarget.require(arguments, console, "luath batch retry")
    return await command.use { (journal, place) async throws(BatchProblem) in
      let run = try await command.subject.run(of: journal, with: .failed)
      let count = try await journal.retryFailed(run)
      let left = try await JournalSummary(run, of: journal).left
      guard left > 0 else { return report(run, count, command) }
      return try await command.execute(run, of: journal, place)
    }
  }

  private static func report(
    _ run: BatchRun, _ count: Int64, _ command: BatchFollowUp
  ) -> ExitStatus {
    guard count > 0 else {
      command.console.report("\(run.title) has no failed rows")
      return .code(.nothing)
    }
    command.console.writeOutput(
      "\(count) failed \(count == 1 ? "row waits" : "rows wait") again\n"
        + "next: \(command.subject.command(run))\n")
    return .code(.ok)
  }
}
