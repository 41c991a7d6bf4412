import System
import Glibc
import Host

/// Finds the journey files for the operands.
struct JourneyFiles {
  /// The file name endings that are recognized in folders.
  static let endings = ["_journey.lua", "_spec.lua"]

  private let console: Console

  init(_ console: Console) { self.console = console }

  /// The scripts in the order of the operands, without duplicates; a folder's files are in name order.
  ///
  /// - Returns: Also the lines that operands select, except for files that are also named without a line.
  func scripts(
    _ operands: [String]
  ) throws(CommandFailure) -> (scripts: [Script], lines: [String: [LineFilter]]) {
    var paths: [String] = []
    var whole: Set<String> = []
    var named: Set<String> = []
    var lines: [String: [LineFilter]] = [:]
    for operand in operands.isEmpty ? ["."] : operands {
      let found = files(of: operand)
      paths += found.paths
      if !found.isFolder { named.formUnion(found.paths) }
      if let filter = found.filter, let path = found.paths.first {
        lines[path, default: []].append(filter)
      } else {
        whole.formUnion(found.paths)
      }
    }
    for path in whole { lines[path] = nil }
    var seen: Set<String> = []
    var scripts: [Script] = []
    for path in paths where seen.insert(path).inserted {
      scripts.append(try script(path, isNamed: named.contains(path)))
    }
    return (scripts, lines)
  }

  /// The paths of the scripts in the order of `scripts`.
  func paths(_ operands: [String]) -> [String] {
    var seen: Set<String> = []
    return (operands.isEmpty ? ["."] : operands).flatMap { files(of: $0).paths }.filter {
      // A name that is not UTF-8 cannot be looked up.
      (isFolder($0) == false || $0.contains("\u{FFFD}")) && seen.insert($0).inserted
    }
  }

  /// Reads a script; an unreadable file in a folder becomes a script with a problem, so that the others still run.
  private func script(_ path: String, isNamed: Bool) throws(CommandFailure) -> Script {
    switch console.read(path) {
    case .success(let text):
      return Script(text: text, name: path, folder: path.folder)
    case .failure(let problem) where !isNamed:
      var script = Script(text: [], name: path, folder: path.folder)
      script.problem =
        path.contains("\u{FFFD}")
        ? "the name of the file is not UTF-8" : "the file cannot be read: \(problem.words)"
      return script
    case .failure(let problem):
      throw CommandFailure(
        .usage, "cannot read \(path.printable): \(problem.words)",
        hint: "check the path; it starts from \(console.folder)")
    }
  }

  private func files(
    of operand: String
  ) -> (paths: [String], filter: LineFilter?, isFolder: Bool) {
    let path = Self.plain(operand)
    if let isFolder = isFolder(path) {
      return (isFolder ? below(path == "." ? "" : path + "/") : [path], nil, isFolder)
    }
    if let (path, filter) = LineFilter.split(path), isFolder(path) == false {
      return ([path], filter, false)
    }
    return ([path], nil, false)
  }

  /// Whether the path is a folder; nil if it does not exist.
  func isFolder(_ path: String) -> Bool? {
    var facts = stat()
    guard stat(console.whole(path), &facts) == 0 else { return nil }
    return facts.st_mode & S_IFMT == S_IFDIR
  }

  /// The path in a normal form, because the record of earlier runs identifies journeys by path.
  static func plain(_ path: String) -> String {
    guard !path.isEmpty else { return path }
    let parts = path.split(separator: "/").filter { $0 != "." }
    let joined = parts.joined(separator: "/")
    if path.hasPrefix("/") { return "/" + joined }
    return joined.isEmpty ? "." : joined
  }

  private func below(_ prefix: String) -> [String] {
    var found = FoundJourneys(console)
    found.look(below: prefix)
    return found.paths
  }
}

/// Finds the journey files in folders.
struct FoundJourneys {
  private(set) var paths: [String] = []
  private let console: Console
  /// The files and folders visited, by device and inode.
  private var seen: Set<String> = []
  private var links: [String] = []

  init(_ console: Console) { self.console = console }

  /// Adds the files below a folder, in name order; not those in hidden folders and `node_modules`, which npm fills.
  ///
  /// Symbolic links come last, because their targets may be found anyway, or be a folder that contains the link.
  mutating func look(below prefix: String) {
    take(prefix.isEmpty ? "." : prefix)
    while !links.isEmpty { take(links.removeFirst(), isLink: true) }
  }

  private mutating func take(_ path: String, isLink: Bool = false) {
    var facts = stat()
    guard stat(console.whole(path), &facts) == 0 else {
      // A file name that is not UTF-8 cannot be opened again; keep it, so that it is reported.
      if path.contains("\u{FFFD}"), Self.isJourneys(path) { paths.append(path) }
      return
    }
    let isNew = seen.insert("\(facts.st_dev):\(facts.st_ino)").inserted
    guard isNew || !isLink else { return }
    if facts.st_mode & S_IFMT == S_IFDIR {
      for name in FolderListing.names(in: console.whole(path))
      where !name.hasPrefix(".") && name != "node_modules" {
        let inner = path == "." ? name : path.hasSuffix("/") ? path + name : "\(path)/\(name)"
        if self.isLink(inner) { links.append(inner) } else { take(inner) }
      }
    } else if facts.st_mode & S_IFMT == S_IFREG, Self.isJourneys(path) {
      paths.append(path)
    }
  }

  private func isLink(_ path: String) -> Bool {
    var facts = stat()
    return lstat(console.whole(path), &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
  }

  private static func isJourneys(_ path: String) -> Bool {
    JourneyFiles.endings.contains { path.hasSuffix($0) }
  }
}
