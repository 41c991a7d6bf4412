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
        saved.formUnion(paths)
        control.showChanged(saved.count)
        let affected = WatchLoop(console, operands).affected(by: paths)
        if await !list(affected), affected != operands { await list(operands) }
        if control.runsOnSave, control.begin() { status = await run(.changed) ?? status }
      }
    }
    return status
  }

  // MARK: Runs

  /// Runs journeys, after `control` was claimed; nil when nothing ran.
  private func run(_ selection: LiveSelection) async -> ExitStatus? {
    guard !Interrupts.hasCome, let part = part(selection) else {
      control.end(exit: nil)
      return nil
    }
    switch selection {
    case .all, .changed: saved = []
    case .file(let file): saved.remove(file)
    case .failed, .journeys: break
    }
    control.showChanged(saved.count)
    let status = await start(part)
    watched.acceptData()
    control.end(exit: status.rawValue)
    return status
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
      return part(WatchLoop(console, operands).affected(by: saved.sorted()), nil)
    case .file(let file): return listed.has(file) ? part([file], nil) : nil
    case .journeys(let ids): return part(Set(ids.map(PlannedJourney.withoutRepetition)), [])
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

  /// Reads files again and shows their journeys; returns false when there are none.
  @discardableResult
  private func list(_ paths: [String]) async -> Bool {
    let isWhole = paths == operands
    control.show(nil)
    var part = part(paths, nil)
    part.list = { [listed, log] chosen, secrets in
      listed.take(chosen.files, of: isWhole ? nil : paths, secrets)
      log.post("files", listed.json)
    }
    if case .code(.ok) = await start(part) { return true }
    return false
  }
}
