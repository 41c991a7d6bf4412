import System
import Glibc
import Host

/// Reruns journeys whenever their files change, until Ctrl-C.
struct WatchLoop {
  static let option = Option("watch", nil, "run again after each change of a file, until Ctrl-C")

  static let scriptEndings = [".lua"]
  static let dataEndings = [".json", ".csv"]
  /// How often to check for changes: often enough that a run starts soon after a file is saved.
  static let pause = Duration.milliseconds(200)

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
      let scripts = look(Self.scriptEndings)
      let watcher = Task { await endWork(whenChanged: scripts) }
      let status = await once(chosen)
      watcher.cancel()
      await watcher.value
      Interrupts.release()
      if Interrupts.hasCome { return status }
      let data = look(Self.dataEndings)
      let count = look(Self.scriptEndings + Self.dataEndings).count
      console.writeError("luath: watching \(count) file\(count == 1 ? "" : "s"); Ctrl-C ends it\n")
      guard let changed = await change(since: scripts, data) else { return status }
      console.writeError("luath: \(words(for: changed)) changed\n\n")
      chosen = affected(by: changed)
    }
  }

  /// Ends the current run when a script changes.
  private func endWork(whenChanged scripts: WatchedFiles) async {
    while (try? await Task.sleep(for: Self.pause)) != nil, !Interrupts.hasCome {
      guard !look(Self.scriptEndings).changes(since: scripts).isEmpty else { continue }
      return await Interrupts.endWork()
    }
  }

  private func change(since scripts: WatchedFiles, _ data: WatchedFiles) async -> [String]? {
    while !Interrupts.hasCome {
      let changed =
        look(Self.scriptEndings).changes(since: scripts)
        + look(Self.dataEndings).changes(since: data)
      if !changed.isEmpty { return changed }
      guard (try? await Task.sleep(for: Self.pause)) != nil else { return nil }
    }
    return nil
  }

  private func look(_ endings: [String]) -> WatchedFiles {
    WatchedFiles(operands, endings: endings, console)
  }

  /// The changed journey files, if nothing else changed; otherwise all operands, because anything may be affected.
  func affected(by changed: [String]) -> [String] {
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

/// A snapshot of the files on which journeys depend: modification times and sizes.
struct WatchedFiles: Equatable {
  private struct Look: Equatable {
    let seconds: Int
    let nanoseconds: Int
    let size: Int
  }

  /// The maximum number of files; far more than any test suite has.
  private static let most = 20_000

  private var looks: [String: Look] = [:]

  var count: Int { looks.count }

  /// Takes a snapshot of the files with one of the endings in the operands' folders.
  init(_ operands: [String], endings: [String], _ console: Console) {
    for operand in operands.isEmpty ? ["."] : operands {
      var path = JourneyFiles.plain(operand)
      if status(of: path, console) == nil, let split = LineFilter.split(path) { path = split.path }
      guard let facts = status(of: path, console) else { continue }
      let isFolder = facts.st_mode & S_IFMT == S_IFDIR
      let folder = isFolder ? path : path.folder
      look(folder == "." ? "" : folder + "/", endings, console)
    }
    // The project file may be in the working folder or above it.
    for prefix in ["", "../", "../../", "../../../"] { note("\(prefix)luath.lua", console) }
  }

  /// The files that were changed, added or removed.
  func changes(since earlier: WatchedFiles) -> [String] {
    Set(looks.keys).union(earlier.looks.keys).filter { looks[$0] != earlier.looks[$0] }.sorted()
  }

  func has(_ path: String) -> Bool { looks[path] != nil }

  private mutating func look(_ prefix: String, _ endings: [String], _ console: Console) {
    for name in FolderListing.names(in: console.whole(prefix.isEmpty ? "." : prefix))
    where !name.hasPrefix(".") && looks.count < Self.most {
      guard let facts = status(of: prefix + name, console) else { continue }
      if facts.st_mode & S_IFMT == S_IFDIR {
        look(prefix + name + "/", endings, console)
      } else if endings.contains(where: { name.hasSuffix($0) }) {
        note(prefix + name, console)
      }
    }
  }

  private mutating func note(_ path: String, _ console: Console) {
    guard let facts = status(of: path, console) else { return }
    looks[path] = Look(
      seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec, size: Int(facts.st_size))
  }

  /// The status of a file; nil for a symbolic link to a folder, which could lead to an endless loop.
  private func status(of path: String, _ console: Console) -> stat? {
    var facts = stat()
    var own = stat()
    guard stat(console.whole(path), &facts) == 0,
      lstat(console.whole(path), &own) == 0,
      own.st_mode & S_IFMT != S_IFLNK || facts.st_mode & S_IFMT != S_IFDIR
    else { return nil }
    return facts
  }
}
