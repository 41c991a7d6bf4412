import Emulator
import Glibc
import HTTP
import Host
import SignIn
import System

/// `luath load`: runs journeys with virtual users and reports durations.
struct LoadCommand: Sendable {
  private let arguments: ParsedArguments
  private let console: Console
  private let places: WorkerTargets
  private let options: LoadOptions
  private let settings: RunSettings
  private let choice: ChoiceOptions
  private let agents: AgentOptions?

  static let description = CommandDescription(
    name: "load", summary: "Runs journeys as a load test, with many virtual users.",
    operands: "PATH[:LINE]...",
    options: TargetOptions.options(withoutTarget: "each virtual user has an emulator") + [
      RealProjectConsent.namedOption
    ] + LoadOptions.options
      + ChoiceOptions.options.filter { ["select", "name"].contains($0.name) }
      + RunOptions.options.filter { ["timeout", "memory"].contains($0.name) }
      + [RunOptions.seed("the think times, the probabilities of --fault, math.random")]
      + [EmulatorSettings.rulesOption(unless: "production")]
      + EmulatorSettings.options.filter { $0.name != "seed" },
    examples: [
      "luath load --vus 20 --duration 30s journeys/sign_in_journey.lua",
      "luath load --vus 50 --rate 100 --threshold 'p95<300ms,errors<1%' journeys",
      "luath load --stages 30s:100,2m:100,30s:0 --think-time 500ms..2s journeys",
      "luath load --vus 5 --report html:load.html,junit:load.xml journeys",
      "luath load --compare base.json --threshold 'p95<=base+10%' journeys",
      "luath load journeys --target staging --agents 3 --queue postgres://luath@db/luath#friday",
    ],
    exits: [
      .ok: "all limits were met",
      .failed:
        "a limit was missed, or nothing in the run has its name; without a limit for errors, also if a "
        + "journey or the end of a file failed",
      .notLoaded:
        "a file, a reporter, the rows of --data or the report of --compare does not load",
      .unavailable:
        "the target or the database of --queue cannot be reached, or a report cannot be written or its reporter failed",
      .nothing: "no journey was found or selected", .interrupted: "interrupted",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard !arguments.operands.isEmpty else {
      throw UsageError("luath load needs journeys: luath load FILE --vus 10")
    }
    let agents = try AgentOptions(arguments, console)
    let arguments = try ChoiceOptions.seeded(arguments)
    let options = try LoadOptions(arguments)
    var threads = arguments
    threads.values["jobs"] = String(options.jobs)
    let command = LoadCommand(
      arguments: arguments, console: console,
      places: try WorkerTargets(arguments, console, isLoad: true),
      options: options, settings: try RunOptions.settings(threads),
      choice: try ChoiceOptions(arguments, console), agents: agents)
    do throws(CommandFailure) {
      return try await command.run()
    } catch {
      return error.report(console)
    }
  }

  private func run() async throws(CommandFailure) -> ExitStatus {
    let (scripts, lines) = try JourneyFiles(console).scripts(arguments.operands)
    guard let first = scripts.first else {
      throw CommandFailure(
        .nothing, "no journeys were found",
        hint: "a folder stands for its files named *_journey.lua and *_spec.lua")
    }
    let project = try ProjectFile.find(arguments.values["project"], near: first.name, console)
    let inputs =
      scripts.map(\.name) + [project.path].compactMap { $0 } + options.reports.compactMap(\.script)
    let outputs = options.reports.compactMap(\.file) + [options.samples].compactMap { $0 }
    try FileIdentity.requireDistinct(
      outputs, inputs: inputs + [options.base].compactMap { $0 }, console)
    let base = try base()
    var settings = settings
    settings.accounts = project.accounts(of: arguments)
    do throws(RunProblem) {
      let files = try await collected(scripts, settings, project)
      let chosen = try chosen(from: files, lines)
      return try await run(chosen, settings, project, base)
    } catch {
      throw CommandFailure(
        ExitCode(rawValue: error.exit) ?? .unavailable, error.message, excerpt: error.excerpt,
        hint: error.hint)
    }
  }

  private func run(
    _ files: [PlannedFile], _ settings: RunSettings, _ project: ProjectFile, _ base: LoadBase?
  ) async throws(RunProblem) -> ExitStatus {
    var reports: [LoadReportFile] = []
    let surroundings = ReportOption.surroundings(console)
    do throws(CommandFailure) {
      for request in options.reports { reports.append(try LoadReportFile(request, surroundings)) }
    } catch {
      throw RunProblem(error.message, hint: error.hint, exit: error.code.rawValue)
    }
    var settings = settings
    var plan: LoadPlan
    do throws(UsageError) {
      plan = try LoadPlan(arguments, files, comparedWith: base)
    } catch {
      throw RunProblem(error.message, hint: error.hint, exit: ExitCode.usage.rawValue)
    }
    plan.luath = Version.current
    plan.started = Timestamp.text(milliseconds: Timestamp.now)
    plan.target = places.reported.now
    let agent = try await agents?.join(&plan, &settings, files, places.reported.now, console)
    plan.samples = try samples()
    let run = LoadRun(plan, settings, agent, read: { [console] in try? console.read($0).get() }) {
      [places] () async throws(RunProblem) in try await places.make(project)
    }
    Interrupts.watchToTheEnd(InterruptibleLoad(run: run, console: console))
    let metrics = try await serveMetrics(of: run)
    defer {
      metrics?.stop()
      metrics?.join()
    }
    let writing = try startWriting(of: run)
    let progress = Task { await show(run) }
    defer { progress.cancel() }
    let report: LoadReport
    do throws(RunProblem) {
      report = try await run.run(files)
    } catch {
      writing?.cancel()
      throw error
    }
    writing?.cancel()
    if let problem = await writing?.value {
      console.warn(
        "--remote-write: not all figures were sent: \(problem.printable)",
        hint: "check the address, and that the server accepts remote write")
    }
    progress.cancel()
    await progress.value
    if report.dropped > 0 {
      console.warn(
        "\(report.dropped) journeys were due and never began, as no user was free",
        hint: "allow more users with --max-vus, or a lower rate; --threshold dropped<1% fails on it"
      )
    }
    for agent in report.team?.agents ?? [] where agent.state == "lost" {
      let missing = agent.missing.map { ": \($0) journeys due to it are in no figure" } ?? ""
      console.warn(
        "agent \(agent.number) (\(agent.name)) was lost\(missing)",
        hint: "see on its machine why it ended; the others took its share over")
    }
    if let problem = report.problem {
      let what =
        report.lacksAgents
        ? "the figures of the other agents are missing" : "not all users could be added"
      console.warn("\(what): \(problem.message)", hint: problem.hint ?? "")
    }
    let exit: ExitCode =
      report.wasInterrupted
      ? .interrupted : report.lacksAgents ? .unavailable : report.isGood ? .ok : .failed
    var isWritten = close(plan.samples)
    for file in reports {
      do throws(SinkError) {
        try file.write(report, exit: exit)
      } catch {
        console.report(error.message.printable, hint: error.hint)
        isWritten = false
      }
    }
    return .code(exit == .ok && !isWritten ? .unavailable : exit)
  }

  /// Reads the report of `--compare`.
  private func base() throws(CommandFailure) -> LoadBase? {
    guard let file = options.base else { return nil }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try console.read(file).get()
    } catch {
      throw CommandFailure(
        .notLoaded, "--compare: cannot read \(file.printable): \(error.words)",
        hint: "luath load --report json:FILE writes one")
    }
    do throws(Problem) {
      return try LoadBase(bytes, file: file)
    } catch {
      throw CommandFailure(.notLoaded, "--compare: \(error.message)", hint: error.hint)
    }
  }

  private func samples() throws(RunProblem) -> LoadSamples? {
    guard let name = options.samples, let format = options.samplesFormat else { return nil }
    do throws(SinkError) {
      return try LoadSamples(format, path: console.whole(name), name: name)
    } catch {
      throw RunProblem(error.message, hint: "check the path of --samples")
    }
  }

  /// Ends the file of samples; returns whether it is whole.
  private func close(_ samples: LoadSamples?) -> Bool {
    guard let samples else { return true }
    do throws(SinkError) {
      let lost = try samples.close()
      if lost > 0 {
        console.warn(
          "\(lost) samples are missing, because the disk was slower than the run",
          hint: "write --samples to a faster disk, or use --report json")
      }
      return true
    } catch {
      console.report(error.message.printable, hint: error.hint)
      return false
    }
  }

  /// Serves the figures if `--metrics` is given; returns the loop of the server.
  private func serveMetrics(of run: LoadRun) async throws(RunProblem) -> EventLoop? {
    guard let server = options.metrics else { return nil }
    let loop = try TestRun.loop("metrics")
    do throws(HTTPError) {
      let url = try await server.start(on: loop) { run.metrics.text }
      console.writeError("luath: metrics at \(url)\n")
      return loop
    } catch {
      loop.stop()
      loop.join()
      throw RunProblem("--metrics: \(error.message)", hint: error.hint)
    }
  }

  /// Sends the figures until the task is cancelled if `--remote-write` is given; its value is a problem.
  private func startWriting(of run: LoadRun) throws(RunProblem) -> Task<String?, Never>? {
    guard let writer = options.remoteWrite else { return nil }
    let loop = try TestRun.loop("remote write")
    return Task {
      let problem = await writer.follow(on: loop) { run.metrics }
      loop.stop()
      loop.join()
      return problem
    }
  }

  /// Displays the progress on a terminal, as a line that is overwritten every second.
  private func show(_ run: LoadRun) async {
    guard console.terminal?.isInteractive == true else { return }
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      console.writeError("\r\u{1B}[K\(run.progress.text)")
    }
    console.writeError("\r\u{1B}[K")
  }

  private func collected(
    _ scripts: [Script], _ settings: RunSettings, _ project: ProjectFile
  ) async throws(RunProblem) -> [PlannedFile] {
    let run = TestRun(settings, hub: EventHub([]), read: { _ in nil }) {
      [places] () async throws(RunProblem) in try await places.make(project)
    }
    let files = try await run.collect(scripts)
    for file in files {
      guard let failure = file.failure else { continue }
      let place = failure.file.map { "\($0):\(failure.line ?? 1): " } ?? "\(file.script.name): "
      throw RunProblem(
        (place + failure.message).printable, hint: failure.hint, exit: ExitCode.notLoaded.rawValue)
    }
    return files
  }

  private func chosen(
    from files: [PlannedFile], _ lines: [String: [LineFilter]]
  ) throws(RunProblem) -> [PlannedFile] {
    let chosen: ChosenJourneys
    do throws(CommandFailure) {
      chosen = try JourneySelection(choice, console).choose(from: files, lines: lines)
    } catch {
      throw RunProblem(
        error.message, excerpt: error.excerpt, hint: error.hint, exit: error.code.rawValue)
    }
    var files = chosen.files
    for index in files.indices {
      files[index].journeys.removeAll { $0.mark == .skip || $0.mark == .pending }
    }
    files.removeAll { $0.journeys.isEmpty }
    guard !files.isEmpty else {
      throw RunProblem(
        "all journeys that were selected are skipped or pending",
        hint: "select one that runs", exit: ExitCode.nothing.rawValue)
    }
    return files
  }
}

/// Lets Ctrl-C end a load run.
private struct InterruptibleLoad: Interruptible {
  let run: LoadRun
  let console: Console

  func interrupt() async { run.interrupt() }

  func drop() { console.abandon(.interrupted, "") }
}

/// The options of a load run, with those that files can set too.
struct LoadOptions {
  static let options =
    LoadSetting.all.map(\.option) + [
      Option("jobs", "N", "the number of threads that the virtual users share", default: "2"),
      ReportOption.option(kinds),
      Option(
        "samples", "FILE",
        "write each journey, step and request to this .csv or .ndjson file, with k6's names",
        default: "none"),
      MetricsServer.option, RemoteWrite.option,
      Option(
        "compare", "FILE",
        "show the changes since an earlier run, of which --report json:FILE wrote the report",
        default: "no comparison"),
    ] + AgentOptions.options

  /// The kinds of reports; the others need the events of each journey.
  private static let kinds = ReportKind.allCases.filter { $0 != .dot && $0 != .har }

  let jobs: Int
  let reports: [ReportRequest]
  let samples: String?
  let samplesFormat: LoadSamples.Format?
  let metrics: MetricsServer?
  let remoteWrite: RemoteWrite?
  /// The report of an earlier run.
  let base: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    // The files may add settings; what is wrong without them is reported at once.
    _ = try LoadPlan(arguments, nil)
    jobs = try Quantity.count(arguments.values["jobs"], "--jobs", 1...256) ?? 2
    reports = try ReportOption.requests(arguments, kinds: Self.kinds)
    samples = arguments.values["samples"]
    samplesFormat = try samples.map { path throws(UsageError) in try LoadSamples.Format(path) }
    metrics = try arguments.values["metrics"].map { text throws(UsageError) in
      try MetricsServer(text)
    }
    remoteWrite = try arguments.values["remote-write"].map { text throws(UsageError) in
      try RemoteWrite(text)
    }
    base = arguments.values["compare"]
  }
}
