import Glibc
import Runner

/// What files of a folder looked like at a moment, as far as journeys depend on them.
struct WatchedFiles: Equatable {
  private struct Look: Equatable {
    let seconds: Int
    let nanoseconds: Int
    let size: Int
  }

  /// Enough for any suite; beyond that somebody watches a whole disk.
  private static let most = 20_000

  private var looks: [String: Look] = [:]

  var count: Int { looks.count }

  /// Looks at the files with one of the endings below the folders of operands.
  init(_ operands: [String], endings: [String], _ console: Console) {
    for operand in operands.isEmpty ? ["."] : operands {
      var path = JourneyFiles.plain(operand)
      if status(of: path, console) == nil, let split = LineFilter.split(path) { path = split.path }
      guard let facts = status(of: path, console) else { continue }
      let isFolder = facts.st_mode & S_IFMT == S_IFDIR
      let folder = isFolder ? path : JourneyFiles.folder(of: path)
      look(folder == "." ? "" : folder + "/", endings, console)
    }
    // The project file stands in the folder of the run, or above it.
    for prefix in ["", "../", "../../", "../../../"] { note("\(prefix)luath.lua", console) }
  }

  /// The files that differ, also those that came or went.
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

  /// A link to a folder above it must not be followed for ever: only what it is itself counts.
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
