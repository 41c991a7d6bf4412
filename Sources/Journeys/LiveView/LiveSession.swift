import Host
import System

/// The live view of `luath test --ui`: runs what its page or a saved file asks for, one run after the other.
final class LiveSession {
  private let console: Console
  private let operands: [String]
  private let log = LiveLog()
  private let control: LiveControl
  private let projects: KeptProjects
  private let runJourneys: @Sendable (LiveRun) async throws(CommandFailure) -> ExitStatus
  private let listed = ListedFiles()
  /// Readings of files for the list, which may go on with slow files.
  private var readings: [ListReading] = []
  private let watched: SavedFiles
  /// The files saved since they ran last.
  private var saved: Set<String> = []

  init(
    _ console: Console, _ operands: [String],
    run: @escaping @Sendable (LiveRun) async throws(CommandFailure) -> ExitStatus
  ) {
    self.console = console
    self.operands = operands
    runJourneys = run
    control = LiveControl(log)
    projects = KeptProjects(log)
    watched = SavedFiles(console, operands, control)
  }

  /// Serves the view until Ctrl-C, and returns the status of the last run.
  func serve(port: UInt16) async throws(CommandFailure) -> ExitStatus {
    Interrupts.prepare()
    let server = try await LiveServer.start(
      port: port, title: "luath test", log, control, projects)
    server.announce(console)
    let watcher = Task { [watched] in await watched.watch() }
    let listener = Task { [control] in
      await Interrupts.wait()
      control.quit()
    }
    await list(operands)
    let status = await handleCommands()
    watcher.cancel()
    listener.cancel()
    server.stop()
    await endReadings(of: nil)
    await projects.stop()
    return status
  }

  private func handleCommands() async -> ExitStatus {
    var status = ExitStatus.code(.ok)
    for await command in control.commands {
      switch command {
      case .quit: return status
      case .run(let selection): status = await run(selection) ?? status
      case .saved(let paths):
        let paths = files.withoutDeleted(paths)
        saved = Set(files.withoutDeleted(saved.sorted())).union(paths)
        showChanged()
        await listAgain(paths)
        if control.runsOnSave, !saved.isEmpty, control.begin() {
          status = await run(.changed) ?? status
        }
      }
    }
    return status
  }

  private var files: WatchLoop { WatchLoop(console, operands) }

  private func showChanged() {
    control.showChanged(saved.count, isAll: !files.areJourneys(saved.sorted()))
  }

  // MARK: Runs

  /// Runs journeys, after `control` was claimed; nil when nothing ran.
  private func run(_ selection: LiveSelection) async -> ExitStatus? {
    guard !Interrupts.hasCome, let part = part(selection) else {
      if !Interrupts.hasCome { control.show(Self.nothing(selection)) }
      control.end(exit: nil)
      return nil
    }
    switch selection {
    case .all, .changed: saved = []
    case .file(let file): saved.remove(file)
    case .failed, .journeys: break
    }
    showChanged()
    let status = await start(part)
    watched.acceptData()
    control.end(exit: status.rawValue)
    return status
  }

  private static func nothing(_ selection: LiveSelection) -> CommandFailure {
    switch selection {
    case .failed: CommandFailure(.nothing, "no journey failed when it ran last", hint: nil)
    case .changed: CommandFailure(.nothing, "no file was saved since it ran last", hint: nil)
    case .all, .file, .journeys:
      CommandFailure(
        .nothing, "this journey or file is gone, so nothing was run", hint: "select another one")
    }
  }

  private func start(_ part: LiveRun) async -> ExitStatus {
    defer { Interrupts.release() }
    do throws(CommandFailure) {
      return try await runJourneys(part)
    } catch {
      control.show(error)
      return error.report(console)
    }
  }

  private func part(_ selection: LiveSelection) -> LiveRun? {
    switch selection {
    case .all: return part(operands, nil)
    case .changed:
      guard !saved.isEmpty else { return nil }
      return part(files.affected(by: saved.sorted()), nil)
    case .file(let file): return listed.has(file) ? part([file], nil) : nil
    case .journeys(let ids, let files):
      return part(Set(ids.map(PlannedJourney.withoutRepetition)), Set(files))
    case .failed:
      let (journeys, broken) = log.failed
      return part(Set(journeys.map(PlannedJourney.withoutRepetition)), broken)
    }
  }

  private func part(_ operands: [String], _ journeys: Set<String>?) -> LiveRun {
    LiveRun(
      operands: operands, journeys: journeys, log: log, control: control, projects: projects)
  }

  /// A run of journeys and of all journeys of some files; nil when none of them is listed any more.
  private func part(_ journeys: Set<String>, _ whole: Set<String>) -> LiveRun? {
    let ids = listed.journeys(named: journeys, and: whole)
    let paths = listed.paths(of: ids, and: whole)
    guard !paths.isEmpty else { return nil }
    return part(paths, ids)
  }

  // MARK: The list

  /// Reads saved files again, or all files if others may depend on a saved one.
  private func listAgain(_ paths: [String]) async {
    if paths.isEmpty {
      listed.keep(only: JourneyFiles(console).paths(operands))
      log.post("files", listed.json)
      if listed.isEmpty { await list(operands) }
    } else {
      await list(files.affected(by: paths))
    }
  }

  /// Reads files and shows their journeys; returns when only slow files are left.
  private func list(_ paths: [String]) async {
    let isWhole = paths == operands
    await endReadings(of: isWhole ? nil : Set(paths))
    control.show(nil)
    let reading = ListReading(of: isWhole ? nil : paths) {
      [listed, log, console, operands] files, isReplaced, secrets in
      let order = JourneyFiles(console).paths(operands)
      log.forget(files: listed.take(files, replacing: isReplaced, order: order, secrets))
      log.post("files", listed.json)
    }
    readings.append(reading)
    var part = part(paths, nil)
    part.list = reading
    Task { [part, runJourneys] in
      do throws(CommandFailure) {
        _ = try await runJourneys(part)
        reading.end(nil)
      } catch {
        reading.end(error)
      }
    }
    guard let problem = await reading.wait() else { return }
    if problem.code == .nothing {
      // The files that were read have no journeys any more.
      reading.show([], RunSecrets())
      if !isWhole, !listed.isEmpty { return }
      if !isWhole { return await list(operands) }
    }
    log.post("files", listed.json)
    control.show(problem)
    _ = problem.report(console)
  }

  /// Ends readings that still read some of these files; nil stands for all files.
  private func endReadings(of files: Set<String>?) async {
    for reading in readings where reading.reads(files) { await reading.interrupt() }
    readings.removeAll(where: \.isOver)
  }
}
