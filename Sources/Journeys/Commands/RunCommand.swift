import Emulator
import HTTP
public import Host
import IdentityToolkit
import Lua
import SignIn
import System

/// `luath run`: runs a script.
enum RunCommand {
  static let description = CommandDescription(
    name: "run", summary: "Runs a script, on the embedded emulator unless told otherwise.",
    operands: "FILE [[--] ARGUMENTS]",
    options: TargetOptions.options + [
      RealProjectConsent.option,
      Option("timeout", "TIME", "stop the script after this time: 500ms, 30s, 5m"),
      Option("memory", "SIZE", "stop the script when it takes more memory: 32M, 1G"),
      Option("trace", nil, "show one line for each HTTP exchange, without secrets"),
    ] + BrowserOption.options + [EmulatorSettings.rulesOption(unless: "production")]
      + EmulatorSettings.options,
    examples: [
      "luath run scripts/01-microsoft.lua",
      "luath run --trace --timeout 30s journey.lua -- staging",
      "luath run --config GoogleService-Info.plist journey.lua",
    ],
    passesArguments: true,
    note:
      "Options stand before FILE; what follows FILE are the script's arguments. An argument that is\n"
      + "spelled like one of these options needs -- before it.")

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard let path = arguments.operands.first else {
      throw UsageError("luath run needs a script: luath run FILE")
    }
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
    let text: [UInt8]
    switch console.read(path) {
    case .success(let content): text = content
    case .failure(let problem):
      console.report(
        "cannot read the script \(path.isEmpty ? "''" : path.printable): \(problem.words)",
        hint: "check the path; it starts from \(console.folder)")
      return .code(.notLoaded)
    }
    let script = Script(
      text: text, name: path, folder: path.folder,
      arguments: arguments.scriptArguments)
    do throws(CommandFailure) {
      let project = try ProjectFile.find(
        arguments.values["project"], near: path, console
      ).forTrying
      let place = try await project.place(
        arguments.values["target"], config: arguments.values["config"], console, settings)
      let observer = SecretObserver(recordsJourneys: false)
      let context = place.context(
        memory: memory ?? 0, console, consent.projectGuard(of: place),
        trace: arguments.flags.contains("trace")
          ? { @Sendable line in console.writeError("trace: \(line)\n") } : nil,
        pages: pages, browser: browser, observer: observer)
      observer.begin(context)
      observer.secrets.hide(source: text)
      let outcome = await ScriptRun(context: context, timeout: timeout, console: console)
        .run(script)
      await place.emulator?.stop()
      let status = FailureReport(script, console, hiding: observer.secrets).status(
        of: outcome, timeout: arguments.values["timeout"])
      if console.flushOutput() || status.rawValue != 0 { return status }
      throw CommandFailure(
        .unavailable, "some of what the script printed could not be written",
        hint: "look at where standard output goes: a full disk, a closed connection")
    } catch {
      return error.report(console)
    }
  }
}

extension Command {
  /// `luath run`.
  public static let run = Command(RunCommand.description, RunCommand.run)
  /// `luath test`.
  public static let test = Command(TestCommand.description, TestCommand.run)
  /// `luath check`.
  public static let check = Command(CheckCommand.description, CheckCommand.run)
  /// `luath load`.
  public static let load = Command(LoadCommand.description, LoadCommand.run)
  /// `luath report`.
  public static let report = Command(ReportCommand.description, ReportCommand.run)
}
