import Encoding
import Glibc
import Scripting

/// Judges a file that luath found by itself, beside or above a script or the working folder.
///
/// Such a file says where a script runs and with which keys. One that somebody else has laid there, as in
/// /tmp, must not be taken for the user's own. A file that an option names is the user's choice.
struct FoundFile {
  /// Why the file is not used; nil when it may be.
  let doubt: String?

  /// Judges a file by its path, as seen from the working folder.
  ///
  /// In the working folder and below it, the file must be the user's, root's, or that of the working folder's
  /// owner. Elsewhere it must be the user's or root's, and so must its folders, and nobody else may write any
  /// of them; in a folder such as /tmp others can write without touching what is there (`S_ISVTX`).
  init(_ path: String, _ console: Console) {
    var users: Set<UInt32> = [0, geteuid()]
    // As git does for safe.directory: who became root by sudo is still the user.
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

  /// Who owns the file, or the link that leads to it, if it is none of these users.
  private static func stranger(_ path: String, _ users: Set<UInt32>) -> String? {
    for access in [FileAccess(entry: path), FileAccess(path: path)].compactMap({ $0 })
    where !users.contains(access.owner) {
      return "it belongs to another user (\(access.owner))"
    }
    return nil
  }

  /// Which of the file and its folders somebody else could change.
  private static func writable(_ path: String, _ users: Set<UInt32>) -> String? {
    let file = real(path)
    if FileAccess(path: file)?.othersMay(.write) == true { return "others can write it" }
    // A link's own folders count as well as those of the file it leads to.
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

  /// The path without links and dots; the same path where there is nothing.
  private static func real(_ path: String) -> String {
    guard let whole = realpath(path, nil) else { return path }
    defer { free(whole) }
    return String(cString: whole)
  }
}
