import SignIn
import Emulator
import System
import Glibc
import HTTP
import Host
import IdentityToolkit

/// `luath batch plan`: makes a plan and changes no account.
struct PlanCommand: Sendable {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch plan",
    summary: "Lets a script plan each row, and writes the plan; changes nothing.",
    operands: "SCRIPT [-- NAME=VALUE ...]",
    options: [
      Option(
        "in", "FILE",
        "required: the rows as CSV, NDJSON or JSON, also compressed with gzip; - is standard input"),
      Option(
        "output", "PLAN", "the plan to write", default: "SCRIPT.plan.ndjson in this folder",
        letter: "o"),
      Option(
        "format", "FORMAT", "the format of the input: csv, ndjson or json", default: "by its name",
        choices: ["csv", "ndjson", "json"]),
      Option("sample", "N", "plan only the first N rows", default: "all rows"),
      Option("tenant", "ID", "the tenant of the accounts", default: "none"),
    ] + planning,
    examples: [
      "luath batch plan migration.lua --in rows.csv -o rows.plan.ndjson --target trial",
      "luath batch plan migration.lua --in rows.csv --accounts users.json --target trial",
      "head -n 101 rows.csv | luath batch plan migration.lua --in - --format csv --target trial",
      "luath batch plan migration.lua --in rows.csv --target trial --tenant eu-1 -- region=EU level=3",
    ], passesRest: true,
    note: "The arguments after -- are the script's: batch.args has them, and the plan shows them.",
    exits: exits)

  /// The exit codes of this command and of `luath batch replan`.
  static let exits: [ExitCode: String] = [
    .ok: "all rows are planned", .failed: "some rows were refused",
    .usage: "the command line is invalid, or the columns or the format of the input are wrong",
    .notLoaded: "the script does not load", .unavailable: "the target or a file cannot be used",
    .nothing: "there are no rows, or nothing to do", .interrupted: "interrupted: no plan was made",
  ]

  /// The options of each command that makes a plan.
  static let planning =
    [
      Option(
        "accounts", "EXPORT",
        "look accounts up in this file, which firebase auth:export has written, instead of the target",
        default: "the target")
    ] + TargetOptions.options(withoutTarget: BatchTarget.withoutOption) + [
      Option(
        "timeout", "TIME", "refuse a row whose planning takes longer than this, such as 30s",
        default: "30s"),
      Option(
        "memory", "SIZE", "stop the script if it needs more memory, such as 256M or 1G",
        default: "no limit"),
      Option("trace", nil, "print a line for each HTTP exchange, without secrets"),
    ]

  /// What a plan is made from.
  struct Source: Sendable {
    /// The path of the script.
    let script: String
    /// The name of the input, for the plan's header and for users.
    let input: String
    let scope: BatchScope
    /// The header of the plan that is made again; nil for a new one.
    var header: PlanHeader?
    /// The files of an earlier plan that the new one must not overwrite.
    var kept: KeptFiles?
    let open: @Sendable () throws(BatchProblem) -> any RowReader
  }

  private let arguments: ParsedArguments
  private let console: Console
  private let output: String
  private let sample: Int64?
  private let seconds: Int
  private let memory: Int

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard let path = arguments.operands.first, !path.isEmpty else {
      throw UsageError("luath batch plan needs a script: luath batch plan SCRIPT --in FILE")
    }
    guard arguments.operands.count == 1 else {
      throw UsageError(
        "luath batch plan takes one script; the rows come from --in FILE",
        hint: arguments.operands[1].contains("=")
          ? "arguments of the script follow --: luath batch plan SCRIPT --in FILE -- "
            + arguments.operands.dropFirst().map(ShellWord.quoted).joined(separator: " ") : nil)
    }
    guard let input = arguments.values["in"], !input.isEmpty else {
      throw UsageError("luath batch plan needs rows: --in FILE, or --in - for the standard input")
    }
    let format = try arguments.values["format"].map { text throws(UsageError) in
      guard let format = RowFormat(rawValue: text) else {
        throw UsageError("--format takes csv, ndjson or json, not '\(text.printable)'")
      }
      return format
    }
    let rows = RowInput(path: input == "-" ? "-" : console.whole(input), format: format)
    let scope = BatchScope(
      tenantID: arguments.values["tenant"],
      arguments: try scriptArguments(arguments.scriptArguments))
    let source = Source(script: path, input: input, scope: scope) {
      () throws(BatchProblem) in try rows.open()
    }
    let command = try PlanCommand(
      arguments, console, "luath batch plan", output: output(for: path))
    return await command.run(source)
  }

  /// Parses `NAME=VALUE` words.
  private static func scriptArguments(_ words: [String]) throws(UsageError) -> JSONObject {
    var arguments = JSONObject()
    for word in words {
      guard !ProcessArguments.isRepaired(word) else {
        throw UsageError(
          "the argument '\(word.printable)' of the script is not in UTF-8",
          hint: "write it in UTF-8, or use a terminal that does")
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard parts.count == 2, !name.isEmpty else {
        throw UsageError(
          "'\(word.printable)' is no argument of the script: it needs a name and =",
          hint: "write NAME=VALUE after --, such as -- region=EU")
      }
      guard arguments[name] == nil else {
        throw UsageError(
          "the argument '\(name.printable)' of the script is given twice",
          hint: "leave one of both out")
      }
      guard !SecretNames.isCertain(name) else {
        throw UsageError(
          "the argument '\(name.printable)' would be readable in the plan and its journal",
          hint: "pass secrets in the environment: os.getenv \"NAME\" in the script")
      }
      arguments[name] = .string(String(parts[1]))
    }
    return arguments
  }

  /// Reads the options of a command that makes a plan.
  ///
  /// - Parameter output: The path of the plan if the options have none.
  init(
    _ arguments: ParsedArguments, _ console: Console, _ command: String, output: String
  ) throws(UsageError) {
    let variable = console.environment["FIREBASE_AUTH_EMULATOR_HOST"] ?? ""
    let given = arguments.values["target"] ?? arguments.values["config"]
    guard given != nil || !variable.isEmpty else {
      throw UsageError(
        "\(command) needs a target, as a plan is for one project",
        hint: "--target NAME: emulator:HOST:PORT, firebase, or a target of luath.lua")
    }
    self.arguments = arguments
    self.console = console
    self.output = arguments.values["output"] ?? output
    if self.output == "-" {
      throw UsageError("a plan goes to a file, as it has a seal at its end: -o FILE")
    }
    if self.output.hasSuffix(".journal") {
      throw UsageError(
        "-o \(self.output.printable) has the ending of a journal, and a plan is written",
        hint: "name the plan FILE.ndjson")
    }
    sample = try Quantity.count(arguments.values["sample"], "--sample", 1...Int.max).map(Int64.init)
    let limit = try arguments.values["timeout"].map { text throws(UsageError) in
      try Quantity.time(text, "--timeout")
    }
    seconds = limit.map { max(1, Int(($0 / .seconds(1)).rounded(.up))) } ?? 30
    memory =
      try arguments.values["memory"].map { text throws(UsageError) in
        try Quantity.bytes(text, "--memory")
      } ?? 0
  }

  /// The default plan path: `link.plan.ndjson` in the working folder for `scripts/link.lua`.
  private static func output(for script: String) -> String {
    let name = script.split(separator: "/").last.map(String.init) ?? script
    return (name.hasSuffix(".lua") ? String(name.dropLast(4)) : name) + ".plan.ndjson"
  }

  /// Makes the plan, and reports it.
  func run(_ source: Source) async -> ExitStatus {
    do throws(CommandFailure) {
      return try await make(source)
    } catch {
      return error.report(console)
    }
  }

  private func make(_ source: Source) async throws(CommandFailure) -> ExitStatus {
    let text: [UInt8]
    switch console.read(source.script) {
    case .success(let content): text = content
    case .failure(let problem):
      throw CommandFailure(
        .notLoaded, "cannot read the script \(source.script.printable): \(problem.words)",
        hint: "check the path; it starts from \(console.folder)")
    }
    try checkOutput(source)
    let place =
      if let header = source.header {
        try await BatchTarget.place(arguments, header, console)
      } else {
        try await BatchTarget.place(arguments, near: source.script, console)
      }
    let result = await make(source, text, place)
    await place.emulator?.stop()
    return try result.get()
  }

  private func make(
    _ source: Source, _ text: [UInt8], _ place: ResolvedTarget
  ) async -> Result<ExitStatus, CommandFailure> {
    let progress = RowProgress()
    do throws(BatchProblem) {
      let outcome = try await progress.show(console, "planned", faults: "refused") {
        () async throws(BatchProblem) in try await job(source, text, place).run(progress)
      }
      return .success(report(outcome, source))
    } catch {
      let failure = CommandFailure(error)
      guard progress.isCancelled else { return .failure(failure) }
      return .failure(
        CommandFailure(.interrupted, "interrupted: no plan was made", hint: "run it again"))
    }
  }

  private func job(_ source: Source, _ text: [UInt8], _ place: ResolvedTarget) -> PlanJob {
    let context = place.context(
      memory: memory, console, ProjectGuard(),
      trace: arguments.flags.contains("trace")
        ? { @Sendable line in console.writeError("trace: \(line)\n") } : nil)
    var request = PlanRequest(
      script: Script(text: text, name: source.script, folder: source.script.folder), file: text,
      context: context)
    request.scope = source.scope
    request.accountsPath = arguments.values["accounts"].map(console.whole)
    request.sample = sample
    request.secondsPerRow = seconds
    request.stuck = { [console] in
      console.abandon(
        .unavailable,
        Console.words(
          "plan does not stop: it is inside a function of C",
          hint: "look for string.find with a costly pattern or io.read"))
    }
    return PlanJob(
      request, input: source.input, output: console.whole(output), open: source.open)
  }

  /// Prints the summary and returns the exit status.
  private func report(_ outcome: PlanJob.Outcome, _ source: Source) -> ExitStatus {
    let summary = outcome.summary
    guard outcome.digest != nil else {
      console.report("\(source.input.printable) has no rows, so there is nothing to plan")
      return .code(.nothing)
    }
    var text = summary.text + "plan: \(output.printable)\n"
    if let tenant = source.scope.tenantID { text += "tenant: \(tenant.printable)\n" }
    if let arguments = source.scope.shown { text += "arguments: \(arguments)\n" }
    if sample != nil {
      text += "it is a sample: plan all rows before you run it\n"
    }
    if summary.run > 0 {
      text += "next: luath batch run \(ShellWord.quoted(output))\(BatchSubject.target(arguments))"
      text += "\n  shows what it would do, and with --execute does it\n"
    }
    if summary.refused > 0 {
      text +=
        "refused rows: luath batch export \(ShellWord.quoted(output)) --refused has them with "
      text += "their causes\n"
    }
    console.writeOutput(text)
    if summary.refused > 0 { return .code(.failed) }
    return .code(summary.run > 0 ? .ok : .nothing)
  }

  /// Throws if the plan file belongs to an existing journal, or would overwrite a file that the plan is made from.
  private func checkOutput(_ source: Source) throws(CommandFailure) {
    var kept = source.kept ?? KeptFiles(arguments, console)
    kept.add(source.script, "the script")
    do throws(BatchProblem) { try kept.require([.init(option: "-o", path: output)]) } catch {
      throw CommandFailure(error)
    }
    let records = [SQLiteJournal.path(ofPlan: output), QueueMarker.path(ofPlan: output)]
    guard let record = records.first(where: { access(console.whole($0), F_OK) == 0 }) else {
      return
    }
    throw CommandFailure(
      .usage, "the plan \(output.printable) has been run: \(record.printable) is its record",
      hint: "choose another name with -o, or move both away")
  }
}
