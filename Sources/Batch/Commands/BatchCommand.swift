public import Host

/// `luath batch`: plans changes to many accounts, carries them out and undoes them.
public enum BatchCommand {
  /// The command with its subcommands.
  public static let command = Command(description, parts: all)

  private static let description = CommandDescription(
    name: "batch", summary: "Plans changes to many accounts, carries them out and undoes them.",
    operands: "COMMAND", options: [],
    examples: [
      "luath batch plan link.lua --in rows.csv -o plan.ndjson --target production",
      "luath batch run plan.ndjson --execute --target production",
    ])

  /// The subcommands, in the order of their use.
  private static let all: [Command] = [
    PlanCommand.command, BatchSealCommand.command, BatchRunCommand.command,
    BatchStatusCommand.command, BatchControlCommand.command, BatchRetryCommand.command,
    BatchExportCommand.command, BatchShowCommand.command, BatchVerifyCommand.command,
    BatchUndoCommand.command, BatchFinalizeCommand.command, BatchReportCommand.command,
  ]
}

extension CommandFailure {
  /// Converts a batch problem to a failure with the matching exit code.
  init(_ problem: BatchProblem) {
    let code: ExitCode =
      switch problem.code {
      case .usage: .usage
      case .notLoaded: .notLoaded
      case .unavailable, .inUse: .unavailable
      }
    self.init(code, problem.message, hint: problem.hint)
  }
}
