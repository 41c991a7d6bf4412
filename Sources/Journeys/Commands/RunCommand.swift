import Emulator
import Glibc
import HTTP
public import Host
import IdentityToolkit
import Lua
import SignIn
import System

/// `luath run`: runs a script.
enum RunCommand {
  static let description = CommandDescription(
    name: "run", summary: "Runs a script, on a new emulator unless --target names another target.",
    operands: "{FILE | - | -e CODE} [[--] ARGUMENTS]",
    options: [
      Option("eval", "CODE", "run this code instead of a file", default: "none", letter: "e")
    ] + TargetOptions.options + [
      RealProjectConsent.option,
      Option(
        "timeout", "TIME",
        "stop the script after this time: 500ms, 30s, 5m; without a unit in seconds",
        default: "no limit"),
      Option(
        "memory", "SIZE", "stop the script if it needs more memory, such as 32M or 1G",
        default: "no limit"),
      Option("trace", nil, "print a line for each HTTP exchange, without secrets"),
    ] + BrowserOption.options + [EmulatorSettings.rulesOption(unless: "production")]
      + EmulatorSettings.options,
    examples: [
      "luath run main.lua",
      "luath run --trace --timeout 30s main.lua -- staging",
      "luath run --target emulator:127.0.0.1:9099 main.lua",
      "luath run -e 'print(require(\"luath.auth\").auth():signInAnonymously().user.uid)'",
    ],
    passesArguments: true, codeOption: "eval",
    note:
      "Write options before FILE: what follows FILE are the script's arguments. An argument that is "
      + "spelled like one of these options needs -- before it. If FILE is -, luath reads the script "
      + "from standard input. Code of -e is visible to other users of the machine, as in ps: take "
      + "secrets from the environment. At a terminal, luath.pause() opens the prompt in the script.",
    exits: [
      .ok: "the script ended without an error; os.exit(N) exits with N",
      .failed: "the script raised an error, or needed more than --memory",
      .notLoaded: "the script or the project file cannot be read or does not load",
      .unavailable: "the script ended because the backend cannot be reached",
      .timedOut: "--timeout was reached", .interrupted: "Ctrl-C or SIGTERM stopped the script",
    ])

  /// The command, with the prompt that its pauses open.
  static func command(pausingWith makePausePrompt: @escaping PausePromptMaker) -> Command {
    Command(description) { arguments, console throws(UsageError) in
      try await run(arguments, console, makePausePrompt)
    }
  }

  private static func run(
    _ arguments: ParsedArguments, _ console: Console, _ makePausePrompt: PausePromptMaker
  ) async throws(UsageError) -> ExitStatus {
    let timeout = try arguments.values["timeout"].map { text throws(UsageError) in
      try Quantity.time(text, "--timeout")
    }
    let memory = try arguments.values["memory"].map { text throws(UsageError) in
      try Quantity.bytes(text, "--memory")
    }
    let pages = try BrowserOption.pages(arguments, console)
    let browser = try BrowserOption.browser(arguments)
    let settings = try EmulatorSettings(arguments, rules: "production")
    let consent = try RealProjectConsent(arguments, console)
    guard arguments.values["eval"] != nil || !arguments.operands.isEmpty else {
      throw UsageError("luath run needs a script: luath run FILE, or luath run -e CODE")
    }
    do throws(CommandFailure) {
      let script = try script(arguments, console)
      let project = try ProjectFile.find(
        arguments.values["project"], near: script.path, console
      ).forTrying
      let place = try await project.place(
        arguments.values["target"], config: arguments.values["config"], console, settings,
        usesPort: true)
      let observer = SecretObserver(recordsJourneys: false)
      var context = place.context(
        memory: memory ?? 0, console, consent.projectGuard(of: place),
        trace: arguments.flags.contains("trace")
          ? { @Sendable line in console.writeError("trace: \(line)\n") } : nil,
        pages: pages, browser: browser, observer: observer)
      observer.begin(context)
      observer.secrets.hide(source: script.text)
      context.pauses = makePausePrompt(
        console,
        PauseOutput(clean: { observer.clean($0) }, hide: { observer.secrets.mark($0) }))
      let ending = await ScriptRun(context: context, timeout: timeout, console: console)
        .run(script)
      await place.emulator?.stop()
      let status = FailureReport(script, console, hiding: observer.secrets).status(
        of: ending.outcome, at: ending.place, timeout: arguments.values["timeout"],
        memory: arguments.values["memory"])
      if case .notLoaded(let failure) = ending.outcome, failure.hint == nil, isExpression(script) {
        console.writeError(
          "  hint: an expression prints nothing: luath run -e 'print(EXPRESSION)'\n")
      }
      if console.flushOutput() || status.rawValue != 0 { return status }
      throw CommandFailure(
        .unavailable, "some of what the script printed could not be written",
        hint: "check where standard output is written to: a full disk or a closed connection")
    } catch {
      return error.report(console)
    }
  }

  /// Whether code of the command line is an expression, which is no script.
  private static func isExpression(_ script: Script) -> Bool {
    guard script.path == nil else { return false }
    let lua = LuaState()
    defer { lua.close() }
    do throws(LuaError) {
      _ = try lua.load(Array("return ".utf8) + script.text, name: "=expression")
      return true
    } catch {
      return false
    }
  }

  /// The script that the command line names: a file, standard input, or the code of `-e`.
  private static func script(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(CommandFailure) -> Script {
    func script(_ text: [UInt8], _ name: String, path: String? = nil) -> Script {
      Script(
        text: text, name: name, folder: path?.folder ?? ".", path: path,
        arguments: arguments.scriptArguments)
    }
    // Lua's own names for scripts without a file.
    if let code = arguments.values["eval"] { return script(Array(code.utf8), "(command line)") }
    let path = arguments.operands.first ?? ""
    if path == "-" {
      if console.input == .terminal {
        console.writeError("luath: type the script; Ctrl-D at the start of a line ends it\n")
      }
      switch console.readInput() {
      case .success(let text): return script(text, "stdin")
      case .failure(let problem):
        throw CommandFailure(
          .notLoaded, "cannot read the script from standard input: \(problem.words)",
          hint: "pipe the script to luath run -, or name its file")
      }
    }
    switch console.read(path) {
    case .success(let text): return script(text, path, path: path)
    case .failure(let problem):
      // Code may hold a secret, so it is not quoted.
      if path.contains(where: { "(\"'=".contains($0) }) {
        throw CommandFailure(
          .notLoaded, "there is no script with this name, which looks like code",
          hint: "to run code: luath run -e CODE")
      }
      throw CommandFailure(
        .notLoaded,
        "cannot read the script \(path.isEmpty ? "''" : path.printable): \(problem.words)",
        hint: problem.code == EISDIR
          ? "name a file in it; luath test runs the journeys in a folder"
          : "check the path; it starts from \(console.folder)")
    }
  }
}

extension Command {
  /// `luath run`.
  public static func run(pausingWith makePausePrompt: @escaping PausePromptMaker) -> Command {
    RunCommand.command(pausingWith: makePausePrompt)
  }
  /// `luath test`.
  public static func test(pausingWith makePausePrompt: @escaping PausePromptMaker) -> Command {
    TestCommand.command(pausingWith: makePausePrompt)
  }
  /// `luath check`.
  public static let check = Command(CheckCommand.description, CheckCommand.run)
  /// `luath load`.
  public static let load = Command(LoadCommand.description, LoadCommand.run)
  /// `luath report`.
  public static let report = Command(ReportCommand.description, ReportCommand.run)
  /// `luath show`.
  public static let show = Command(ShowCommand.description, ShowCommand.run)
}
