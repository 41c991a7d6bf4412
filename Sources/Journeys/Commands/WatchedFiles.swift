import Glibc
import Host
import System

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
