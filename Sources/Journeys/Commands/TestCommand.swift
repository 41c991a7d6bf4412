import Emulator
import HTTP
import Host
import IdentityToolkit
import SignIn
import Storage
import Synchronization
import System

/// `luath test`: runs journeys and reports the results.
struct TestCommand: Sendable {
  private let arguments: ParsedArguments
  private let console: Console
  private let places: WorkerTargets
  private let settings: RunSettings
  private let choice: ChoiceOptions
  private let queue: PostgresAddress?
  private let changes: GitChanges?
  private let reports: [ReportRequest]
  private let makePausePrompt: PausePromptMaker

  static let description = CommandDescription(
    name: "test",
    summary: "Runs journeys, each on a new emulated project unless --target names a target.",
    operands: "[PATH[:LINE]...]",
    options: TargetOptions.options + [
      RealProjectConsent.option, EmulatorSettings.rulesOption(unless: "production"),
    ] + ChoiceOptions.options + [GitChanges.option] + RunOptions.options
      + [ReportOption.option, WatchLoop.option] + LiveOptions.options
      + BrowserOption.options + EmulatorSettings.options.filter { $0.name != "seed" },
    examples: [
      "luath test", "luath test --jobs 4 journeys", "luath test journeys/merge_journey.lua:12",
      "luath test --select \"merge and not slow\" --retries 2", "luath test --last-failed --watch",
      "luath test --changed=main",
      "luath test --report dot --report junit:junit.xml", "luath test --report ./mine.lua:mine.txt",
      "luath test --ui",
    ],
    note:
      "PATH is a journey file, or a folder with files named *_journey.lua and *_spec.lua; without PATH it is "
      + "this folder.",
    exits: [
      .ok: "all journeys passed",
      .failed:
        "a journey, a hook or the end of a file failed; or see --fail-on-flaky and --forbid-only",
      .notLoaded:
        "a file does not load, and the others were run; or a reporter does not load, and none was run",
      .unavailable:
        "the target, the machine, the network or the database of --queue could not run them, or a report "
        + "cannot be written or its reporter failed",
      .nothing: "no journey was found or selected",
      .timedOut: "a journey could not be stopped, and the run ended with it",
      .interrupted: "interrupted; what ran was cleaned up and reported",
    ])

  /// The command, with the prompt that its pauses open.
  static func command(pausingWith makePausePrompt: @escaping PausePromptMaker) -> Command {
    Command(description) { arguments, console throws(UsageError) in
      try await run(arguments, console, makePausePrompt)
    }
  }

  private static func run(
    _ arguments: ParsedArguments, _ console: Console, _ makePausePrompt: @escaping PausePromptMaker
  ) async throws(UsageError) -> ExitStatus {
    if arguments.flags.contains("list"), arguments.lists["report"] != nil {
      throw UsageError(
        "--list runs nothing, so --report has nothing to report",
        hint: "leave one out; --dry-run makes reports without running journeys")
    }
    let arguments = try ChoiceOptions.seeded(arguments)
    let command = try TestCommand(
      arguments, console, places: try WorkerTargets(arguments, console), makePausePrompt)
    if let mode = command.settings.pauses, !console.isInteractive {
      throw UsageError(
        "--\(mode == .failure ? "pause" : "step") opens the prompt, which needs a terminal",
        hint: "in scripts and CI leave it out; --report html:FILE shows what happened")
    }
    if let port = try LiveOptions.port(arguments, command.reports) {
      return await command.serve(port)
    }
    guard arguments.flags.contains("watch") else { return await command.report() }
    return await WatchLoop(console, arguments.operands).run { run in
      do throws(UsageError) {
        let changed = try command.changed(for: run)
        return await changed.report(run.operands)
      } catch {
        console.report(error.message, hint: error.hint)
        return .code(.usage)
      }
    }
  }

  /// Serves the live view, and runs what its page asks for.
  private func serve(_ port: UInt16) async -> ExitStatus {
    let session = LiveSession(console, arguments.operands) {
      (live) async throws(CommandFailure) -> ExitStatus in
      try await once(live.operands, for: live)
    }
    do throws(CommandFailure) {
      try await requireRunnable()
      return try await session.serve(port: port)
    } catch {
      return error.report(console)
    }
  }

  private init(
    _ arguments: ParsedArguments, _ console: Console, places: WorkerTargets,
    _ makePausePrompt: @escaping PausePromptMaker
  ) throws(UsageError) {
    self.arguments = arguments
    self.console = console
    self.places = places
    settings = try RunOptions.settings(arguments)
    choice = try ChoiceOptions(arguments, console)
    queue = try ChoiceOptions.queue(arguments, console)
    changes = try GitChanges(arguments, console)
    reports = try ReportOption.requests(arguments)
    self.makePausePrompt = makePausePrompt
  }

  /// The command with the options that keys of `--watch` have changed.
  private func changed(for run: WatchedRun) throws(UsageError) -> TestCommand {
    guard run.name != nil || !run.flags.isEmpty else { return self }
    var changed = arguments
    if let name = run.name { changed.values["name"] = name }
    changed.flags.formUnion(run.flags)
    return try TestCommand(changed, console, places: places, makePausePrompt)
  }

  /// Throws when no run can begin, because of the paths, the project file or the target.
  ///
  /// A folder without journeys is no reason: they may be written later.
  private func requireRunnable() async throws(CommandFailure) {
    let (found, _) = try JourneyFiles(console).scripts(arguments.operands)
    _ = try await changes?.only(found)
    let project = try ProjectFile.find(
      arguments.values["project"], near: found.first?.name, console)
    do throws(RunProblem) {
      await (try await places.make(project)).close()
    } catch {
      throw error.asFailure
    }
  }

  /// Runs the journeys of the operands once, and reports failures of the run itself.
  private func report(_ operands: [String]? = nil) async -> ExitStatus {
    do throws(CommandFailure) {
      return try await once(operands ?? arguments.operands)
    } catch {
      return error.report(console)
    }
  }

  /// The options that a command needs to run one of the journeys again in the same way.
  ///
  /// Consent to change a real project is not among them, so that the user is asked again.
  private var rerunOptions: [String] {
    let known =
      TargetOptions.options + EmulatorSettings.options
      + [EmulatorSettings.rulesOption(unless: "production")]
    let names = known.map(\.name) + ["timeout", "memory", "webdriver", "headed"]
    return Self.description.options.filter { names.contains($0.name) }.flatMap { option in
      var values = arguments.lists[option.name] ?? []
      // That of --shuffle is a seed for everything, too.
      if option.name == "seed" { values = [arguments.values["seed"] ?? "0"].filter { $0 != "0" } }
      let isFlag = arguments.flags.contains(option.name)
      return (isFlag ? ["--\(option.name)"] : []) + values.map { "--\(option.name)=\($0)" }
    }
  }

  private func once(
    _ operands: [String], for live: LiveRun? = nil
  ) async throws(CommandFailure) -> ExitStatus {
    let (found, lines) = try JourneyFiles(console).scripts(operands)
    guard !found.isEmpty else {
      throw CommandFailure(
        .nothing, "no journeys were found",
        hint: "a folder stands for its files named *_journey.lua and *_spec.lua")
    }
    let scripts = try await changes?.only(found) ?? found
    let first = scripts[0]
    let project = try ProjectFile.find(arguments.values["project"], near: first.name, console)
    var settings = settings
    settings.accounts = project.accounts(of: arguments)
    let inputs =
      scripts.map(\.name) + [project.path, choice.record.path].compactMap { $0 }
      + reports.compactMap(\.script)
    try FileIdentity.requireDistinct(reports.compactMap(\.file), inputs: inputs, console)
    let keeper = RecordKeeper()
    let isList = choice.isList || live?.list != nil
    let output = HeldOutput(isTerminal: console.outputColumns != nil, console.sendOutput)
    let snapshots = SnapshotBook(
      SnapshotBook.Mode(
        isUpdate: arguments.flags.contains("update-snapshots"), console.environment)
    ) { [console] in console.whole($0) }
    var sinks = try ReportOption.sinks(isList ? [] : reports, console, output)
    if let live, !isList { sinks.append(LiveSink(live.log)) }
    let hub = EventHub(
      [keeper, snapshots], reports: sinks,
      secrets: RunSecrets(areShown: arguments.flags.contains("show-secrets")), waitsForStart: true)
    let pauseOutput = PauseOutput(
      clean: { hub.secrets.clean($0) }, hide: { hub.secrets.mark($0) }, hold: { output.hold($0) })
    settings.pausePrompt = makePausePrompt(console, pauseOutput)
    let run = TestRun(
      settings, hub: hub, snapshots: snapshots, read: { [console] in try? console.read($0).get() },
      abandon: { [console] exit in
        hub.interrupt()
        _ = hub.end()
        console.abandon(
          ExitCode(rawValue: Int32(exit)) ?? .internalError,
          Console.words(
            "a journey does not stop: it is inside a function of C or a finalizer",
            hint: "look for string.find with a costly pattern, io.read or __gc"))
      }
    ) {
      [places] () async throws(RunProblem) in
      try await places.make(project, keeping: live?.projects)
    }
    let selection = JourneySelection(choice, console, only: live?.journeys)
    if let list = live?.list {
      // Other runs go on beside it, so Ctrl-C is not for it alone.
      list.begin(run)
    } else {
      Interrupts.watchToTheEnd(
        InterruptibleRun(run: run, hub: hub, console: console, pausePrompt: settings.pausePrompt))
      // A page may have asked to stop before the run could be stopped.
      if live?.control.isStopping == true { await Interrupts.endWork() }
    }
    do throws(RunProblem) {
      let files = try await run.collect(
        scripts,
        watchedBy: live?.watcher(of: run) { files, rest in
          let chosen = try? selected(selection, files, lines)
          live?.list?.show(chosen?.files ?? [], rest: rest, hub.secrets)
        })
      let chosen = try selected(selection, files, lines)
      if let list = live?.list {
        list.show(chosen.files, hub.secrets)
        return .code(.ok)
      }
      if isList { return selection.list(chosen) }
      if !settings.isDry {
        keeper.begin { selection.keep($0, declared: files, chosen: chosen, isWhole: $1) }
      }
      let shared = try await share(chosen, selection.record, hub)
      live?.begin(chosen.files.flatMap(\.journeys).map(\.id))
      hub.post(.runStart(start(chosen, places.reported.now)))
      let isWhole = lines.isEmpty && chosen.marked.isEmpty && choice.takesAll && !settings.isDry
      let exit = try await run.run(
        chosen.files, sharedBy: shared,
        whole: isWhole ? WholeRun(declared: files, folders: folders(operands, scripts)) : nil)
      let problems = hub.end()
      for problem in problems { console.report(problem.message, hint: problem.hint) }
      if exit == 0, !problems.isEmpty { return .code(.unavailable) }
      return .code(ExitCode(rawValue: Int32(exit)) ?? .internalError)
    } catch {
      throw error.asFailure
    }
  }

  /// Joins the shards that share the journeys; nil if each shard has a fixed part.
  private func share(
    _ chosen: ChosenJourneys, _ record: RunRecord, _ hub: EventHub
  ) async throws(RunProblem) -> SharedFiles? {
    guard let queue, let shard = choice.shard else { return nil }
    do throws(QueueProblem) {
      return try await SharedFiles.join(
        queue, as: shard, chosen, durations: record.durations,
        notice: { [console] in console.writeError("luath: \($0)\n") },
        say: { hub.post(.log(LogEvent(level: .info, text: $0))) })
    } catch {
      throw RunProblem(error)
    }
  }

  /// The command line without the password of `--queue`.
  private var shownArguments: [String] {
    guard let queue, let text = arguments.values["queue"], text.contains("://")
    else { return console.arguments }
    return console.arguments.map {
      $0.hasSuffix(text) ? "\($0.dropLast(text.count))\(queue.withoutPassword)#\(queue.name)" : $0
    }
  }

  /// The folders that were searched; none if a file is named.
  private func folders(_ operands: [String], _ scripts: [Script]) -> [String] {
    let files = JourneyFiles(console)
    let operands = (operands.isEmpty ? ["."] : operands).map(JourneyFiles.plain)
    guard operands.allSatisfy({ files.isFolder($0) == true }) else { return [] }
    return Set(scripts.map(\.name.folder) + operands).sorted()
  }

  private func start(_ chosen: ChosenJourneys, _ target: RunStart.Target) -> RunStart {
    RunStart(
      luath: Version.current, started: Timestamp.text(milliseconds: Timestamp.now),
      seed: settings.seed, target: target,
      jobs: settings.jobs,
      shard: choice.shard.map {
        .init(index: $0.index, count: $0.count, isShared: queue != nil)
      },
      retries: settings.retries, repeats: choice.choice.repeats, journeys: chosen.count,
      files: chosen.files.map(\.script.name), arguments: shownArguments,
      showsSecrets: arguments.flags.contains("show-secrets"), rerunOptions: rerunOptions)
  }

  private func selected(
    _ selection: JourneySelection, _ files: [PlannedFile], _ lines: [String: [LineFilter]]
  ) throws(RunProblem) -> ChosenJourneys {
    do throws(CommandFailure) {
      return try selection.choose(from: files, lines: lines)
    } catch {
      throw RunProblem(
        error.message, excerpt: error.excerpt, hint: error.hint, exit: error.code.rawValue)
    }
  }
}

extension RunProblem {
  fileprivate var asFailure: CommandFailure {
    CommandFailure(
      ExitCode(rawValue: exit) ?? .unavailable, message, excerpt: excerpt, hint: hint)
  }
}

/// Lets Ctrl-C end a test run.
private struct InterruptibleRun: Interruptible {
  let run: TestRun
  let hub: EventHub
  let console: Console
  let pausePrompt: (any PausePrompt)?

  func interrupt() async {
    // First, so that steps which end because of it count as interrupted.
    hub.interrupt()
    run.interrupt()
  }

  func drop() {
    pausePrompt?.restoreTerminal()
    console.abandon(.interrupted, "")
  }
}

/// The target of a run as reports name it; set when the first worker's target is created.
final class ReportedTarget: Sendable {
  private let target = Mutex(RunStart.Target(name: "", projectID: "", isEmulated: false))

  /// The target; empty until it is known.
  var now: RunStart.Target { target.withLock { $0 } }

  /// Records the target; an emulator that only the environment selects is named by its address.
  func note(
    _ place: ResolvedTarget, named name: String?, config: String?, _ environment: [String: String]
  ) {
    let other = name ?? environment["FIREBASE_AUTH_EMULATOR_HOST"] ?? ""
    let words =
      if config != nil {
        ProjectFile.firebase
      } else if place.emulator != nil {
        ProjectFile.emulator
      } else {
        other
      }
    let found = RunStart.Target(
      name: words, projectID: place.target.projectID, isEmulated: place.target.isEmulated)
    target.withLock { $0 = found }
  }
}
