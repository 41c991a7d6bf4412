import Delegates
import Emulator
import Encoding
import HTTP
import Lua
import Runner
import Scripting

/// `luath test`: runs journeys and reports on them.
enum TestCommand {
  static let description = CommandDescription(
    name: "test", summary: "Runs journeys, each on a fresh emulated project unless told otherwise.",
    operands: "[PATH...]",
    options: [
      Option("target", "NAME", "as for luath run"),
      Option("config", "FILE", "as for luath run"),
      Option("project", "FILE", "the project file; otherwise the luath.lua nearest the first PATH"),
      Option("jobs", "N", "run N files side by side; 1 when not given"),
      Option("timeout", "TIME", "stop a journey after this time; 60s when not given"),
      Option("memory", "SIZE", "stop a journey whose file takes more memory: 32M, 1G"),
      EmulatorSettings.rulesOption(unless: "production"),
    ] + EmulatorSettings.options,
    examples: ["luath test", "luath test --jobs 4 scripts/journeys"])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let places = try WorkerPlaces(arguments, console)
    var settings = try settings(arguments)
    do throws(CommandFailure) {
      let scripts = try JourneyFiles(console).scripts(arguments.operands)
      guard let first = scripts.first else {
        throw CommandFailure(
          .nothing, "no journeys were found",
          hint: "a folder gives its files named *_journey.lua and *_spec.lua")
      }
      let project = try ProjectFile.find(
        arguments.values["project"], near: first.name, console)
      settings.accounts = project.accounts(of: arguments)
      let sinks: [any EventSink] = [PlainReporter(console.writeOutput)]
      let hub = EventHub(sinks)
      let run = TestRun(settings, hub: hub, read: { try? console.read($0).get() }) {
        () async throws(RunProblem) in try await places.make(project)
      }
      return try await report(run, scripts, settings, hub, console)
    } catch {
      return error.report(console)
    }
  }

  private static func report(
    _ run: TestRun, _ scripts: [Script], _ settings: RunSettings, _ hub: EventHub,
    _ console: Console
  ) async throws(CommandFailure) -> ExitStatus {
    LuaStopHandle.installHandler()
    Interrupts.watch(InterruptibleRun(run: run, console: console))
    do throws(RunProblem) {
      let files = try await run.collect(scripts)
      let count = files.reduce(0) { $0 + $1.journeys.count }
      guard count > 0 || files.contains(where: { $0.failure != nil }) else {
        throw RunProblem(
          "the files declare no journeys",
          hint: "a journey is declared by journey(\"name\", function(j) … end)",
          exit: ExitCode.nothing.rawValue)
      }
      hub.post(
        .runStart(
          RunStart(
            luath: Version.current, started: "", seed: settings.seed,
            target: .init(name: "emulator", projectID: "", isEmulated: true), jobs: settings.jobs,
            journeys: count, files: files.map(\.script.name))))
      let exit = try await run.run(files)
      for error in hub.end() { console.report(error.message, hint: error.hint) }
      return .code(ExitCode(rawValue: Int32(exit)) ?? .internalError)
    } catch {
      throw CommandFailure(
        ExitCode(rawValue: error.exit) ?? .unavailable, error.message, hint: error.hint)
    }
  }

  private static func settings(_ arguments: ParsedArguments) throws(UsageError) -> RunSettings {
    var settings = RunSettings()
    if let text = arguments.values["timeout"] {
      settings.timeout = try Quantity.time(text, "--timeout")
    }
    if let text = arguments.values["jobs"] {
      guard let jobs = Int(text), (1...256).contains(jobs) else {
        throw UsageError("--jobs takes a number from 1 to 256, not '\(text.printable)'")
      }
      settings.jobs = jobs
    }
    return settings
  }
}

/// A run that Ctrl-C ends.
private struct InterruptibleRun: Interruptible {
  let run: TestRun
  let console: Console

  func interrupt() async { run.interrupt() }

  func drop() { console.abandon(.interrupted, "") }
}
