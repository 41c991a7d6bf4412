import Batch

/// `luath batch`: changes to many accounts, planned first, and each of them with its undo.
enum BatchCommand {
  static let description = CommandDescription(
    name: "batch", summary: "Plans changes to many accounts, carries them out and undoes them.",
    operands: "COMMAND", options: [],
    examples: [
      "luath batch plan link.lua --in rows.csv -o plan.ndjson --target production",
      "luath batch run plan.ndjson --execute --target production",
    ])

  /// Its commands, in the order of their use.
  static let all: [Command] = [
    PlanCommand.command, BatchSealCommand.command, BatchRunCommand.command,
    BatchStatusCommand.command, BatchControlCommand.command, BatchRetryCommand.command,
    BatchExportCommand.command, BatchShowCommand.command, BatchVerifyCommand.command,
    BatchUndoCommand.command, BatchFinalizeCommand.command, BatchReportCommand.command,
  ]
}

extension CommandFailure {
  /// A problem of a batch, with the answer of the process that belongs to it.
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
