import Host
import SignIn
import System

/// Reruns journeys whenever their files change or the user presses a key, until Ctrl-C.
struct WatchLoop {
  static let option = Option("watch", nil, "run again after each change of a file, until Ctrl-C")

  static let scriptEndings = [".lua"]
  static let dataEndings = [".json", ".csv"]
  /// How often to check for keys, and after how many of these checks for changed files.
  static let pause = Duration.milliseconds(50)
  private static let pausesPerLook = 4

  /// Why the next run begins.
  private enum Cause {
    case files([String])
    case key(WatchKey)
  }

  private let console: Console
  private let operands: [String]

  init(_ console: Console, _ operands: [String]) {
    self.console = console
    self.operands = operands
  }

  /// Runs the loop and returns the status of the last run.
  func run(_ once: (WatchedRun) async -> ExitStatus) async -> ExitStatus {
    Interrupts.prepare()
    var next = WatchedRun(operands: operands)
    while true {
      // A script saved during the run ends the run; data files do not, because journeys may write them.
      let scripts = look(Self.scriptEndings)
      let watcher = Task { await endWork(whenChanged: scripts) }
      let status = await once(next)
      watcher.cancel()
      await watcher.value
      Interrupts.release()
      if Interrupts.hasCome { return status }
      let data = look(Self.dataEndings)
      guard let following = await wait(scripts, data, after: next) else { return status }
      next = following
    }
  }

  /// Waits for the next run; nil when the watch is to end.
  private func wait(
    _ scripts: WatchedFiles, _ data: WatchedFiles, after last: WatchedRun
  ) async -> WatchedRun? {
    let keys = WatchKeys(console)
    defer { keys?.end() }
    console.writeError("luath: \(invitation(hasKeys: keys != nil, last.name))\n")
    guard let cause = await cause(scripts, data, keys) else { return nil }
    var next = WatchedRun(operands: operands, name: last.name)
    switch cause {
    case .files(let changed):
      console.writeError("luath: \(words(for: changed)) changed\n\n")
      next.operands = affected(by: changed)
    case .key(.quit): return nil
    case .key(.all): console.writeError("\n")
    case .key(.failed): next.flags = ["last-failed"]
    case .key(.update): next.flags = ["update-snapshots"]
    case .key(.pattern):
      keys?.end()
      guard let line = await ask() else { return nil }
      next.name = line.isEmpty ? nil : line
    }
    return next
  }

  private func invitation(hasKeys: Bool, _ pattern: String?) -> String {
    let count = look(Self.scriptEndings + Self.dataEndings).count
    let files = "watching \(count) file\(count == 1 ? "" : "s")"
    guard hasKeys else { return "\(files); Ctrl-C ends it" }
    let named = pattern.map { " those named \($0.printable)" } ?? " all"
    return
      "\(files); press Enter to run\(named), f the failed ones, p to choose a name, u to update snapshots, q to quit"
  }

  /// Asks for a name; nil after Ctrl-C and at the end of the input.
  private func ask() async -> String? {
    guard let terminal = console.terminal else { return nil }
    return await withTaskGroup(of: String?.self) { group in
      group.addTask { await terminal.ask("luath: part of a name, or empty for all journeys: ") }
      group.addTask {
        while !Interrupts.hasCome, (try? await Task.sleep(for: Self.pause)) != nil {}
        return nil
      }
      let line = await group.next() ?? nil
      group.cancelAll()
      return line
    }
  }

  /// Ends the current run when a script changes.
  private func endWork(whenChanged scripts: WatchedFiles) async {
    var known = scripts
    while (try? await Task.sleep(for: Self.pause * Self.pausesPerLook)) != nil, !Interrupts.hasCome
    {
      let now = look(Self.scriptEndings)
      if Interrupts.isRedirected {
        // At a pause the user edits the journey, and runs it again with .retry.
        known = now
      } else if !now.changes(since: known).isEmpty {
        return await Interrupts.endWork()
      }
    }
  }

  private func cause(
    _ scripts: WatchedFiles, _ data: WatchedFiles, _ keys: WatchKeys?
  ) async -> Cause? {
    var round = 0
    while !Interrupts.hasCome {
      if let key = keys?.next() { return .key(key) }
      if round % Self.pausesPerLook == 0 {
        let changed =
          look(Self.scriptEndings).changes(since: scripts)
          + look(Self.dataEndings).changes(since: data)
        if !changed.isEmpty { return .files(changed) }
      }
      round += 1
      guard (try? await Task.sleep(for: Self.pause)) != nil else { return nil }
    }
    return nil
  }

  private func look(_ endings: [String]) -> WatchedFiles {
    WatchedFiles(operands, endings: endings, console)
  }

  /// The changed journey files, if nothing else changed; otherwise all operands, because anything may be affected.
  func affected(by changed: [String]) -> [String] {
    areJourneys(changed) ? changed : operands
  }

  /// Whether the files have journeys of the run, and nothing that others depend on.
  func areJourneys(_ changed: [String]) -> Bool {
    let now = look(JourneyFiles.endings)
    return changed.allSatisfy { path in
      now.has(path) && JourneyFiles.endings.contains { path.hasSuffix($0) } && isNamed(path)
    }
  }

  /// The files without deleted journey files, on which nothing depends.
  func withoutDeleted(_ changed: [String]) -> [String] {
    let now = look(JourneyFiles.endings)
    return changed.filter { path in
      now.has(path) || !JourneyFiles.endings.contains { path.hasSuffix($0) }
    }
  }

  /// Whether an operand selects the whole file or a folder that contains it.
  private func isNamed(_ path: String) -> Bool {
    operands.isEmpty
      || operands.map(JourneyFiles.plain).contains {
        $0 == path || $0 == "." || path.hasPrefix($0 + "/")
      }
  }

  private func words(for changed: [String]) -> String {
    let first = changed.first?.printable ?? ""
    return changed.count > 1 ? "\(first) and \(changed.count - 1) more" : first
  }
}
