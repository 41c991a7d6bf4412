import System
import Emulator
import Glibc
import HTTP
public import Host
import IdentityToolkit
import SignIn
import Synchronization

/// `luath repl`: starts the prompt.
public enum ReplCommand {
  /// The command, whose `.help` explains all commands of luath.
  public static func command(amongst all: @escaping @Sendable () -> [Command]) -> Command {
    Command(description) { arguments, console throws(UsageError) in
      try await run(arguments, console, all())
    }
  }

  static let description = CommandDescription(
    name: "repl", summary: "Starts the prompt: runs each entry, and prints its value.",
    operands: "",
    options: TargetOptions.options + [
      RealProjectConsent.option,
      Option(
        "memory", "SIZE", "stop an entry if the session needs more memory, such as 32M or 1G",
        default: "no limit"),
      Option("trace", nil, "print a line for each HTTP exchange, without secrets"),
    ] + BrowserOption.options + [EmulatorSettings.rulesOption(unless: "production")]
      + EmulatorSettings.options,
    examples: [
      "luath repl", "luath repl --target emulator:127.0.0.1:9099",
      "echo 'auth:createUser(\"ada@contoso.example\", \"correct horse\").user.uid' | luath repl",
    ],
    exits: [
      .ok: "the prompt ended; os.exit(N) exits with N",
      .failed: "the entries came from a pipe or a file, and one failed",
      .notLoaded: "the project file does not load", .unavailable: "the target cannot be used",
      .interrupted: "a second Ctrl-C during the same call",
    ])

  private static func run(
    _ arguments: ParsedArguments, _ console: Console, _ commands: [Command]
  ) async throws(UsageError) -> ExitStatus {
    guard arguments.operands.isEmpty else {
      throw UsageError(
        "luath repl takes no operands", hint: "to run a script: luath run FILE")
    }
    return try await start(arguments, console, commands).status
  }

  /// The prompt of `luath` without arguments; nil if there was no input to run, as with an empty pipe.
  public static func runBare(_ console: Console, _ commands: [Command]) async -> ExitStatus? {
    do throws(UsageError) {
      let (status, hasRun) = try await start(ParsedArguments([], description), console, commands)
      return hasRun ? status : nil
    } catch {
      preconditionFailure("no arguments cannot be wrong")
    }
  }

  private static func start(
    _ arguments: ParsedArguments, _ console: Console, _ commands: [Command]
  ) async throws(UsageError) -> (status: ExitStatus, hasRun: Bool) {
    let isInteractive = console.isInteractive
    let promptConsole = PromptConsole(console, commands)
    let interrupts = PromptInterrupts(promptConsole)
    Interrupts.watch(interrupts)
    // Let SIGTERM end the process at once; the signal handler of `TerminalDevice` restores the terminal's modes.
    signal(SIGTERM, SIG_DFL)
    let board = PromptOutput(promptConsole, isTracing: arguments.flags.contains("trace"))
    let host = try ReplHost(arguments, console, board)
    do throws(PromptProblem) {
      let settings =
        isInteractive ? PromptSettings(environment: console.environment) : PromptSettings()
      let ending = try await Prompt(
        settings: settings, console: promptConsole, host: host, board: board, interrupts: interrupts
      ).run()
      let isWritten = console.flushOutput()
      let hasRun = ending.hasRun || isInteractive
      if let status = ending.status { return (.script(status), hasRun) }
      if !isWritten { return (.code(.unavailable), hasRun) }
      return (.code(ending.hasFailed && !isInteractive ? .failed : .ok), hasRun)
    } catch {
      console.report(error.message, hint: error.hint)
      return (.code(host.code), true)
    }
  }
}

/// Opens the targets that a prompt requests, from the command line and the project file.
final class ReplHost: PromptHost {
  private let arguments: ParsedArguments
  private let console: Console
  private let settings: EmulatorSettings
  private let consent: RealProjectConsent
  private let pages: SignInTrace?
  private let browser: BrowserOptions
  private let memory: Int
  private let observer = SecretObserver(recordsJourneys: true)
  private let board: PromptOutput
  private let failure = Mutex(ExitCode.unavailable)

  init(
    _ arguments: ParsedArguments, _ console: Console, _ board: PromptOutput
  ) throws(UsageError) {
    self.arguments = arguments
    self.board = board
    self.console = console
    memory =
      try arguments.values["memory"].map { text throws(UsageError) in
        try Quantity.bytes(text, "--memory")
      } ?? 0
    pages = try BrowserOption.pages(arguments, console)
    browser = try BrowserOption.browser(arguments)
    settings = try EmulatorSettings(arguments, rules: "production")
    consent = try RealProjectConsent(arguments, console, remembersRefusal: false)
  }

  /// The exit code when the last target could not be opened.
  var code: ExitCode { failure.withLock(\.self) }

  /// Opens the target of a session; starts an emulator if that is the target.
  func place(_ wish: PromptWish) async throws(PromptProblem) -> PromptTarget {
    do throws(CommandFailure) {
      let project = try ProjectFile.find(
        wish.project ?? arguments.values["project"], near: nil, console
      ).forTrying
      let place = try await project.place(
        wish.target ?? arguments.values["target"],
        config: wish.target == nil ? arguments.values["config"] : nil, console, settings)
      // Keep the current session if the new target does not respond.
      if wish.target != nil, place.emulator == nil, place.target.isEmulated,
        case .failure(let error) = await TargetCheck.ask(place.target)
      {
        throw CommandFailure(.unavailable, error.message, hint: error.hint)
      }
      let context = place.context(
        memory: memory, console, consent.projectGuard(of: place, isNamed: wish.target == nil),
        trace: { [board] in board.traced($0) },
        pages: pages, browser: browser, observer: observer)
      observer.begin(context)
      let emulator = place.emulator
      let target =
        emulator == nil
        ? (wish.target ?? arguments.values["target"] ?? "the emulator of the environment")
        : "the emulator inside luath"
      return PromptTarget(
        context: context, words: "\(target), project \(place.target.projectID)",
        projectFile: project.path, firstStep: Self.firstStep(project, place.target),
        admitsAnyone: emulator != nil && project.configuration.admitsAnyone,
        testUsers: { await emulator?.people ?? project.configuration.people },
        close: { await emulator?.stop() })
    } catch {
      failure.withLock { $0 = error.code }
      throw PromptProblem(error.message, hint: error.hint)
    }
  }

  /// A sign-in that works at the target, or help where a sign-in needs more.
  private static func firstStep(_ project: ProjectFile, _ target: Target) -> String {
    let configuration = project.configuration
    guard target.isEmulated else { return "auth?" }
    let usable = ["microsoft.com", "google.com", "yahoo.com"].first { id in
      configuration.providers[id] != nil
        && configuration.people.contains { $0.providers?.contains(id) ?? true }
    }
    if let usable { return "auth:signIn(provider \"\(usable)\")" }
    return configuration.providers["anonymous"] == nil
      ? "auth:createUser(\"ada@contoso.example\", crypto.random())" : "auth:signInAnonymously()"
  }

  /// Removes passwords from all later output, the history and saved files.
  func hide(_ passwords: [String]) { observer.secrets.mark(passwords, kind: .password) }

  func clean(_ text: String) -> String { observer.clean(text) }
}
