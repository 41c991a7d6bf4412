import Glibc
import HTTP
public import Host

/// `luath repl`: starts the prompt.
public enum ReplCommand {
  /// The command.
  public static let command = Command(description, run)

  static let description = CommandDescription(
    name: "repl", summary: "Runs what is typed, line by line, and shows what it gives.",
    operands: "",
    options: TargetOptions.options + [
      RealProjectConsent.option,
      Option("memory", "SIZE", "stop a line when the session takes more memory: 32M, 1G"),
      Option("trace", nil, "show one line for each HTTP exchange, without secrets"),
    ] + BrowserOption.options + [EmulatorSettings.rulesOption(unless: "production")]
      + EmulatorSettings.options,
    examples: [
      "luath repl", "luath repl --target staging",
      "echo 'auth:createUser(\"ada@contoso.example\", \"correct horse\").user.uid' | luath repl",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard arguments.operands.isEmpty else {
      throw UsageError(
        "luath repl takes no operands", hint: "to run a script: luath run FILE")
    }
    return try await answer(arguments, console).status
  }

  /// The prompt of `luath` without arguments; nil if there was no input to run, as with an empty pipe.
  public static func runBare(_ console: Console) async -> ExitStatus? {
    do throws(UsageError) {
      let (status, hasRun) = try await answer(ParsedArguments([], description), console)
      return hasRun ? status : nil
    } catch {
      preconditionFailure("no arguments cannot be wrong")
    }
  }

  private static func answer(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> (status: ExitStatus, hasRun: Bool) {
    let isInteractive = console.input == .terminal && console.outputColumns != nil
    let promptConsole = PromptConsole(
      isInteractive: isInteractive, columns: { console.inputColumns() },
      environment: console.environment, folder: console.folder, write: console.writeOutput,
      writeError: console.writeError,
      read: { path in
        switch console.read(path) {
        case .success(let text): .success(text)
        case .failure(let problem):
          .failure(PromptProblem("cannot read \(path.printable): \(problem.words)"))
        }
      },
      abandon: { words in
        TerminalDevice.restore()
        console.abandon(.interrupted, words)
      })
    let watchdog = PromptWatchdog(promptConsole)
    Interrupts.watch(ReplInterrupts(watchdog))
    // Let SIGTERM end the process at once; the signal handler of `TerminalDevice` restores the terminal's modes.
    signal(SIGTERM, SIG_DFL)
    let board = PromptOutput(promptConsole, isTracing: arguments.flags.contains("trace"))
    let host = try ReplHost(arguments, console, board)
    do throws(PromptProblem) {
      let settings =
        isInteractive ? PromptSettings(environment: console.environment) : PromptSettings()
      let ending = try await Prompt(
        settings: settings, console: promptConsole, host: host, board: board, watchdog: watchdog
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

/// Passes Ctrl-C to the prompt, which handles repeated ones itself.
private struct ReplInterrupts: Interruptible {
  private let watchdog: PromptWatchdog

  init(_ watchdog: PromptWatchdog) { self.watchdog = watchdog }

  func interrupt() async { watchdog.interrupt() }

  func drop() { watchdog.interrupt() }
}
