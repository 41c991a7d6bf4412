import Host
import Glibc

/// Finds the journey files in folders.
struct FoundJourneys {
  private(set) var paths: [String] = []
  private let console: Console
  /// The files and folders visited, by device and inode.
  private var seen: Set<String> = []
  private var links: [String] = []

  init(_ console: Console) { self.console = console }

  /// Adds the files below a folder, in name order.
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
      for name in FolderListing.names(in: console.whole(path)) where !name.hasPrefix(".") {
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
