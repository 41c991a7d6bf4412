import Host

/// Reruns journeys whenever their files change, until Ctrl-C.
struct WatchLoop {
  static let option = Option("watch", nil, "run again when a file changes, until Ctrl-C")

  /// How often to check for changes: often enough that a run starts soon after a file is saved.
  private static let pause = Duration.milliseconds(200)

  private let console: Console
  private let operands: [String]

  init(_ console: Console, _ operands: [String]) {
    self.console = console
    self.operands = operands
  }

  /// Runs the loop and returns the status of the last run.
  func run(_ once: ([String]) async -> ExitStatus) async -> ExitStatus {
    Interrupts.prepare()
    var chosen = operands
    while true {
      // A script saved during the run ends the run; data files do not, because journeys may write them.
      let scripts = look([".lua"])
      let watcher = Task { await endWork(whenChanged: scripts) }
      let status = await once(chosen)
      watcher.cancel()
      await watcher.value
      Interrupts.release()
      if Interrupts.hasCome { return status }
      let data = look([".json", ".csv"])
      let count = look([".lua", ".json", ".csv"]).count
      console.writeError("luath: watching \(count) file\(count == 1 ? "" : "s"); Ctrl-C ends it\n")
      guard let changed = await change(since: scripts, data) else { return status }
      console.writeError("luath: \(words(for: changed)) changed\n\n")
      chosen = affected(by: changed)
    }
  }

  /// Ends the current run when a script changes.
  private func endWork(whenChanged scripts: WatchedFiles) async {
    while (try? await Task.sleep(for: Self.pause)) != nil, !Interrupts.hasCome {
      guard !look([".lua"]).changes(since: scripts).isEmpty else { continue }
      return await Interrupts.endWork()
    }
  }

  private func change(since scripts: WatchedFiles, _ data: WatchedFiles) async -> [String]? {
    while !Interrupts.hasCome {
      let changed =
        look([".lua"]).changes(since: scripts) + look([".json", ".csv"]).changes(since: data)
      if !changed.isEmpty { return changed }
      guard (try? await Task.sleep(for: Self.pause)) != nil else { return nil }
    }
    return nil
  }

  private func look(_ endings: [String]) -> WatchedFiles {
    WatchedFiles(operands, endings: endings, console)
  }

  /// The changed journey files, if nothing else changed; otherwise all operands, because anything may be affected.
  private func affected(by changed: [String]) -> [String] {
    let now = look(JourneyFiles.endings)
    let areJourneys = changed.allSatisfy { path in
      now.has(path) && JourneyFiles.endings.contains { path.hasSuffix($0) } && isNamed(path)
    }
    return areJourneys ? changed : operands
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
