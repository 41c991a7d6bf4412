import Glibc
import System
import Batch
import Journeys
import Lua
import Prompt
import Host

/// The `luath` command line.
enum Commands {
  /// All commands, in the order of the overview.
  static let all: [Command] = [
    .run(pausingWith: pausePrompt), .check, .test(pausingWith: pausePrompt), .load, .report, .show,
    BatchCommand.command,
    Command(EmulatorCommand.description, EmulatorCommand.run),
    Command(ExecCommand.description, ExecCommand.run),
    Command(SessionCommand.description, SessionCommand.run),
    Command(CompareCommand.description, CompareCommand.run),
    ReplCommand.command(amongst: { all }),
    Command(DocCommand.description, DocCommand.run),
    Command(InitCommand.description, InitCommand.run),
    Command(DoctorCommand.description, DoctorCommand.run),
  ]

  private static let pausePrompt: PausePromptMaker = {
    TerminalPausePrompt($0, $1, amongst: { all })
  }

  /// Runs the command that the arguments name, and returns the exit status.
  ///
  /// A command that succeeded fails if its output could not be written, for example on a full disk.
  static func main(_ console: Console) async -> Int32 {
    let status = await answer(console)
    let lost = console.lostOutput()
    guard lost != 0 else { return status }
    console.report(
      "cannot write to the standard output: \(SystemError(lost).words)",
      hint: "check where it is written to: a full disk or a closed connection")
    return status == 0 ? ExitCode.unavailable.rawValue : status
  }

  private static func answer(_ console: Console) async -> Int32 {
    guard let name = console.arguments.first else { return await bare(console) }
    switch name {
    case "--version", "-V":
      console.writeOutput(VersionText.text)
      return 0
    case "help" where console.arguments.count > 1:
      return await run(Array(console.arguments.dropFirst()) + ["--help"], console)
    case "--help", "-h", "help":
      console.writeOutput(overview(HelpStyle(console)))
      return 0
    case "__complete":
      return await CompleteCommand.main(Array(console.arguments.dropFirst()), all, console)
    case "__files":
      return await FilesCommand.main(Array(console.arguments.dropFirst()), all, console)
    default:
      return await run(console.arguments, console)
    }
  }

  /// `luath` without arguments: the prompt at a terminal or with piped input, else the overview.
  private static func bare(_ console: Console) async -> Int32 {
    let isWanted =
      console.input == .content || console.isInteractive
    if isWanted, let status = await ReplCommand.runBare(console, all) { return status.rawValue }
    console.writeError(overview(HelpStyle(console)))
    return ExitCode.usage.rawValue
  }

  private static func run(_ arguments: [String], _ console: Console) async -> Int32 {
    guard let command = all.first(where: { $0.description.name == arguments[0] }) else {
      let names = all.map(\.description.name) + ["--version", "--help"]
      let advice = others[arguments[0]] ?? nearestName(to: arguments[0], among: names)
      console.report(
        "there is no command '\(arguments[0].printable)'",
        hint: advice.map { "did you mean luath \($0)?" }
          ?? (arguments[0].hasSuffix(".lua")
            ? "to run a script: luath run \(ShellWord.quoted(arguments[0]))"
            : "luath --help lists them"))
      return ExitCode.usage.rawValue
    }
    return await command.main(Array(arguments.dropFirst()), console)
  }

  /// What other programs call the commands.
  private static let others = [
    // `-v` means version in many programs and verbose in as many others.
    "-v": "--version", "-e": "run -e CODE", "--eval": "run -e CODE", "eval": "run -e CODE",
    "-": "run -", "prompt": "repl", "shell": "repl", "console": "repl", "new": "init",
    "create": "init", "login": "session", "state": "session", "serve": "emulator",
    "start": "emulator", "emulators": "emulator", "emulators:start": "emulator",
    "emulators:exec": "exec",
    "man": "doc", "docs": "doc", "version": "--version", "lint": "check",
  ]

  private static func overview(_ style: HelpStyle) -> String {
    let about =
      "luath tests sign-in with Firebase Auth: it runs Lua scripts with the SDKs' calls, on a built-in "
      + "emulator or a real project."
    let codes = ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }
    return """
      \(style.wrapped(about, indent: 0))

      Usage: luath COMMAND [options]
             luath           the prompt, at a terminal or with entries on standard input

      \(style.bold("Commands:"))
      \(style.list(all.map { ($0.word, $0.description.summary) }, indent: 2))
      luath COMMAND --help describes a command, luath doc everything else.
      luath --version shows the version.

      \(style.bold("Exit codes:"))
      \(style.list(codes, indent: 2))
      """
  }
}
