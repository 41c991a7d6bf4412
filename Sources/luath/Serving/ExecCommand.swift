import Emulator
import Glibc
import HTTP
import Host
import IdentityToolkit
import System

/// `luath exec`: runs a command against a new emulator.
enum ExecCommand {
  static let description = CommandDescription(
    name: "exec", summary: "Starts the emulator, runs a command against it, and ends both.",
    operands: "[--] COMMAND [ARGUMENTS]",
    options: [
      Option(
        "seed", "SCRIPT", "run this script against the emulator before the command",
        default: "the emulator has no accounts", isRepeatable: true)
    ] + ServerWait.options + [
      Option(
        "kill-after", "TIME",
        "kill the command if it runs this long after a signal to luath asked it to end",
        default: "10s"),
      Option("quiet", nil, "do not print the last requests to the emulator when the command fails"),
      Option(
        "port", "PORT", "the port of the emulator; 0 takes a free one",
        default: "emulators.auth.port of firebase.json, or else a free one"),
      ServedEmulator.hostOption,
    ] + ServedEmulator.options
      + EmulatorSettings.options.map { option in
        // `--seed` is the script.
        option.name == "seed" ? option.named("fault-seed") : option
      },
    examples: [
      "luath exec -- npm test",
      "luath exec --seed users.lua --rules production -- pytest -x",
      "luath exec --wait-for http://127.0.0.1:3000/ -- npx playwright test",
      "luath exec --import saved --export-on-exit -- sh -c 'npm run build && npm test'",
    ],
    passesCommand: true,
    note:
      "The command receives the variables FIREBASE_AUTH_EMULATOR_HOST, GCLOUD_PROJECT and "
      + "FIREBASE_CONFIG, the standard streams, and the terminal. luath forwards signals to it, ends all processes that "
      + "it leaves behind, and exits with its exit code: 128 plus the number of the signal that ended it.",
    exits: [
      .ok: "the command exits with 0; luath exits with any other code of the command, too",
      .failed: "a seed script failed, or the command exits with 1",
      .notLoaded:
        "a seed script, the project file, firebase.json, the state or the import cannot be read",
      .unavailable: "the port is in use, or the state, the export or the log cannot be written",
      .timedOut: "a server of --wait-for did not respond within --wait-timeout",
      .interrupted: "Ctrl-C or SIGTERM came before the command was started",
      .notExecutable: "the command cannot be executed", .notFound: "the command does not exist",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard let name = arguments.operands.first, !name.isEmpty else {
      throw UsageError(
        "luath exec needs a command",
        hint: "such as: luath exec -- npm test; luath exec --help shows the options")
    }
    let served = try ServedEmulator(arguments, console, seed: "fault-seed")
    let wait = try ServerWait(arguments)
    let patience =
      try arguments.values["kill-after"].map { text throws(UsageError) in
        try Quantity.time(text, "--kill-after")
      } ?? .seconds(10)
    do throws(CommandFailure) {
      // Before the emulator starts, as these are the most likely mistakes.
      let program = try FoundProgram(name, console)
      var seeds: [SeedScript] = []
      for path in arguments.lists["seed"] ?? [] { seeds.append(try SeedScript(path, console)) }
      let running = try await served.start(port: 0)
      if let status = try await prepare(running, seeds, wait) { return status }
      let before = await running.emulator.exchangeCount
      let (command, ending) = try await run(
        program, arguments.operands,
        EmulatorVariables.added(
          to: console.environment, address: running.address,
          project: running.project.configuration.id),
        patience, console, running)
      let status = program.status(of: ending, console)
      if !arguments.flags.contains("quiet"), !command.wasAskedToEnd,
        case .exited(let code) = ending,
        code != 0
      {
        await explain(code, running, after: before, console)
      }
      do throws(CommandFailure) {
        try await running.close()
      } catch {
        // The code of a command that failed is more useful than that of a lost export.
        let own = error.report(console)
        return status.rawValue == 0 ? own : status
      }
      if command.wasInterruptedAtTerminal { ForegroundCommand.endByInterrupt() }
      return status
    } catch {
      return error.report(console)
    }
  }

  /// Fills the emulator and waits for servers; the exit status if that failed.
  private static func prepare(
    _ running: ServedEmulator.Running, _ seeds: [SeedScript], _ wait: ServerWait
  ) async throws(CommandFailure) -> ExitStatus? {
    do throws(CommandFailure) {
      for seed in seeds {
        if let status = await seed.run(in: running.place) {
          await running.abandon()
          return status
        }
      }
      try await wait.wait()
      if Interrupts.hasCome { throw CommandFailure(.interrupted, "interrupted") }
      return nil
    } catch {
      await running.abandon()
      throw error
    }
  }

  /// Runs the command to its end.
  private static func run(
    _ program: FoundProgram, _ arguments: [String], _ environment: [String: String],
    _ patience: Duration, _ console: Console, _ running: ServedEmulator.Running
  ) async throws(CommandFailure) -> (ForegroundCommand, ForegroundCommand.Ending) {
    func run(
      _ path: String, _ arguments: [String]
    ) async throws(SystemError) -> (ForegroundCommand, ForegroundCommand.Ending) {
      let command = try ForegroundCommand(
        path: path, arguments: arguments, environment: environment, patience: patience
      ) { console.writeError("luath: \($0)\n") }
      return (command, await command.run())
    }
    do throws(SystemError) {
      let result = try await run(program.path, arguments)
      guard case .notStarted(let error) = result.1, error.code == ENOEXEC, program.isText else {
        return result
      }
      // A script without a first line that names its interpreter, which shells run, too (execvp(3)).
      return try await run("/bin/sh", ["sh", program.path] + arguments.dropFirst())
    } catch {
      await running.abandon()
      throw CommandFailure(
        .unavailable, "the command cannot be started: \(error.words)",
        hint: "check the limits of processes and open files: ulimit -a")
    }
  }

  /// Prints the last requests of a command that failed.
  private static func explain(
    _ code: Int32, _ running: ServedEmulator.Running, after number: Int, _ console: Console
  ) async {
    let count = await running.emulator.exchangeCount - number
    guard count > 0 else {
      console.writeError(
        "luath: the command exits with \(code) and sent no request to the emulator at \(running.address)\n"
          + "  hint: admin SDKs find it by FIREBASE_AUTH_EMULATOR_HOST; client SDKs need connectAuthEmulator\n"
      )
      return
    }
    let lines = await running.emulator.exchanges(after: number, limit: shownExchanges)
    let which =
      count > lines.count
      ? "the last \(lines.count) of its \(count) requests"
      : count == 1 ? "its request" : "its requests"
    console.writeError(
      "luath: the command exits with \(code); \(which) to the emulator:\n"
        + lines.map { "  \($0)\n" }.joined())
  }

  private static let shownExchanges = 10
}
