internal import CShims
internal import Glibc

/// A folder of our own among the temporary files, which nobody else may enter.
struct PrivateFolder {
  /// Where it is, absolute.
  let path: String

  /// Makes a folder under TMPDIR, or under `/tmp` when that is not set or too long.
  ///
  /// The name of a socket has 107 bytes (unix(7)), of which Chromium's take 69 below that folder.
  init(_ environment: ProcessEnvironment = .current) throws(Warden.StartFailure) {
    let wanted = environment["TMPDIR"] ?? "/tmp"
    let parent = wanted.utf8.count <= 38 && wanted.hasPrefix("/") ? wanted : "/tmp"
    var template = Array("\(parent)/luath-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
      throw Warden.StartFailure(errorNumber: errno)
    }
    defer { free(resolved) }
    path = String(cString: resolved)
  }

  /// Makes a folder inside and returns its path.
  func folder(_ name: String) throws(Warden.StartFailure) -> String {
    let inner = "\(path)/\(name)"
    guard mkdir(inner, 0o700) == 0 else { throw Warden.StartFailure(errorNumber: errno) }
    return inner
  }

  /// Makes an empty file inside and opens it for reading and for writing at its end.
  func file(_ name: String) throws(Warden.StartFailure) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC
    let descriptor = open("\(path)/\(name)", flags, 0o600)
    guard descriptor >= 0 else { throw Warden.StartFailure(errorNumber: errno) }
    return descriptor
  }

  /// Removes it with everything in it.
  func remove() { luath_remove_tree(path) }
}
