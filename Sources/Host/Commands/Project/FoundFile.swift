import System
import Glibc

/// Decides whether to trust a file that luath found itself, next to a script, in the working folder, or above them.
///
/// Such a file decides where a script runs and with which keys. A file that another user put there, as is possible in
/// /tmp, must not be used. A file that an option names is always trusted.
struct FoundFile {
  /// Why the file is not trusted; nil if it is.
  let doubt: String?

  /// Checks a file by its path, relative to the working folder.
  ///
  /// In the working folder and below, the file must belong to the user, root, or the owner of the working folder.
  /// Elsewhere, the file and all folders above it must belong to the user or root, and nobody else may have write
  /// permission, except for folders with the sticky bit (`S_ISVTX`) such as /tmp.
  init(_ path: String, _ console: Console) {
    var users: Set<UInt32> = [0, geteuid()]
    // As git does for safe.directory: a user who became root with sudo is still the same user.
    if geteuid() == 0, let caller = console.environment["SUDO_UID"].flatMap(UInt32.init) {
      users.insert(caller)
    }
    let working = Self.real(console.folder)
    let folder = Self.real(Self.folder(of: path))
    if folder == working || folder.hasPrefix(working == "/" ? "/" : "\(working)/") {
      if let owner = FileAccess(path: working)?.owner { users.insert(owner) }
      doubt = Self.stranger(path, users)
    } else {
      doubt = Self.stranger(path, users) ?? Self.writable(path, users)
    }
  }

  /// The doubt about the owner of the file, or of the link that leads to it; nil if it is one of these users.
  private static func stranger(_ path: String, _ users: Set<UInt32>) -> String? {
    for access in [FileAccess(entry: path), FileAccess(path: path)].compactMap({ $0 })
    where !users.contains(access.owner) {
      return "it belongs to another user (\(access.owner))"
    }
    return nil
  }

  /// The doubt about write permissions of the file and its folders; nil if there is none.
  private static func writable(_ path: String, _ users: Set<UInt32>) -> String? {
    let file = real(path)
    if FileAccess(path: file)?.othersMay(.write) == true { return "others can write it" }
    // Check both the folders of a link and those of its target.
    for start in Set([folder(of: file), real(folder(of: path))]).sorted() {
      var folder = start
      while true {
        guard let access = FileAccess(path: folder) else { break }
        let shown = folder.printable
        if !users.contains(access.owner) {
          return "its folder \(shown) belongs to another user (\(access.owner))"
        }
        if access.othersMay(.write), !access.isSticky {
          return "others can write its folder \(shown)"
        }
        if folder == "/" { break }
        folder = Self.folder(of: folder)
      }
    }
    return nil
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// The path with links and dots resolved; unchanged if it does not exist.
  private static func real(_ path: String) -> String {
    guard let whole = realpath(path, nil) else { return path }
    defer { free(whole) }
    return String(cString: whole)
  }
}
