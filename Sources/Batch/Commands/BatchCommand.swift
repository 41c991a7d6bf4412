public import Host

/// `luath batch`: plans changes to many accounts, carries them out and undoes them.
public enum BatchCommand {
  /// The command with its subcommands.
  public static let command = Command(description, parts: all)

  private static let description = CommandDescription(
    name: "batch", summary: "Plans changes to many accounts, carries them out and reverses them.",
    operands: "COMMAND", options: [],
    examples: [
      "luath batch plan migration.lua --in rows.csv -o rows.plan.ndjson --target trial",
      "luath batch run rows.plan.ndjson --execute --target trial",
    ])

  /// The subcommands, in the order of their use.
  private static let all: [Command] = [
    PlanCommand.command, BatchSealCommand.command, BatchRunCommand.command,
    BatchStatusCommand.command, BatchControlCommand.command, BatchRetryCommand.command,
    BatchReplanCommand.command, BatchResolveCommand.command, BatchExportCommand.command,
    BatchShowCommand.command, BatchVerifyCommand.command,
    BatchUndoCommand.command, BatchFinalizeCommand.command, BatchReportCommand.command,
    BatchTasksCommand.command, BatchWorkCommand.command,
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
      case .interrupted: .interrupted
      }
    self.init(code, problem.message, hint: problem.hint)
  }
}

/// `luath batch show`: prints one row with its operations and steps.
enum BatchShowCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch show",
    summary: "Shows one row: its operations, steps and results, without secrets.",
    operands: "PLAN|JOURNAL ROW", options: BatchSubject.options,
    examples: [
      "luath batch show rows.plan.ndjson 42", "luath batch show rows.plan.ndjson 42 --run 2",
    ],
    exits: [
      .ok: "the row was printed", .notLoaded: BatchSubject.unloadable,
      .unavailable: BatchSubject.unavailable, .nothing: "there is no such row",
    ])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let subject = try BatchSubject(arguments, console, "luath batch show", operands: 2)
    let word = arguments.operands[1]
    guard let number = Int64(word), number > 0, number < 1 << 40 else {
      throw UsageError("luath batch show takes the number of a row, not '\(word.printable)'")
    }
    return await BatchSubject.report(console) { () async throws(BatchProblem) in
      let text = try await subject.use { (journal) async throws(BatchProblem) -> String? in
        let run = try await subject.run(of: journal) { $0.kind == .run }
        guard let row = try await RowDescription(number, of: run, journal) else { return nil }
        return row.text
          + (journal.header.scope.shown.map { "arguments of the plan: \($0)\n" } ?? "")
      }
      guard let text else {
        return .failure(
          CommandFailure(
            .nothing, "there is no row \(number)",
            hint: "rows have the numbers of the input, without its header"))
      }
      console.writeOutput(text)
      return .success(.code(.ok))
    }
  }
}

/// `luath batch report`: writes a run as one HTML file.
enum BatchReportCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch report",
    summary: "Writes a web page about a run: figures, plots over time, and causes of failures.",
    operands: "PLAN|JOURNAL",
    options: [Option("output", "FILE", "required: the HTML file to write", letter: "o")]
      + BatchSubject.options,
    examples: ["luath batch report rows.plan.ndjson -o run.html"],
    exits: [
      .ok: "the file was written", .notLoaded: BatchSubject.unloadable,
      .unavailable: BatchSubject.unavailable,
    ])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let subject = try BatchSubject(arguments, console, "luath batch report")
    guard let output = arguments.values["output"], !output.isEmpty else {
      throw UsageError("luath batch report needs a file: luath batch report PLAN -o FILE.html")
    }
    return await BatchSubject.report(console) { () async throws(BatchProblem) in
      try await subject.use { (journal) async throws(BatchProblem) in
        try subject.kept(journal.header).require([.init(option: "-o", path: output)])
        let run = try await subject.run(of: journal) { $0.kind == .run }
        try await BatchPage(run, of: journal).write(to: console.whole(output))
      }
      console.writeOutput("report: \(output.printable)\n")
      return .success(.code(.ok))
    }
  }
}
