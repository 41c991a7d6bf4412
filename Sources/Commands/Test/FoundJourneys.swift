import Glibc

/// The files of journeys below folders.
struct FoundJourneys {
  private(set) var paths: [String] = []
  private let console: Console
  /// What was seen, by device and number.
  private var seen: Set<String> = []
  private var links: [String] = []

  init(_ console: Console) { self.console = console }

  /// Adds the files below a folder, by their names; links come last, as what they lead to may be there
  /// already, or be the folder they stand in.
  mutating func look(below prefix: String) {
    take(prefix.isEmpty ? "." : prefix)
    while !links.isEmpty { take(links.removeFirst(), isLink: true) }
  }

  private mutating func take(_ path: String, isLink: Bool = false) {
    var facts = stat()
    guard stat(console.whole(path), &facts) == 0 else {
      // A name that is not UTF-8 is not found any more, which somebody should be told.
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
