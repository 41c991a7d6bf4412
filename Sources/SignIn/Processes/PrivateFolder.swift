internal import CShims
internal import Glibc

/// A temporary folder that only its owner may enter.
struct PrivateFolder {
  /// The absolute path.
  let path: String

  /// Creates a folder in TMPDIR, or in `/tmp` when that is unset or too long.
  ///
  /// The path of a socket is limited to 107 bytes (unix(7)), of which Chromium uses 69 below this folder.
  init(_ environment: ProcessEnvironment = .current) throws(ProcessSupervisor.StartFailure) {
    let wanted = environment["TMPDIR"] ?? "/tmp"
    let parent = wanted.utf8.count <= 38 && wanted.hasPrefix("/") ? wanted : "/tmp"
    var template = Array("\(parent)/luath-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
      throw ProcessSupervisor.StartFailure(errorNumber: errno)
    }
    defer { free(resolved) }
    path = String(cString: resolved)
  }

  /// Creates a subfolder and returns its path.
  func folder(_ name: String) throws(ProcessSupervisor.StartFailure) -> String {
    let inner = "\(path)/\(name)"
    guard mkdir(inner, 0o700) == 0 else { throw ProcessSupervisor.StartFailure(errorNumber: errno) }
    return inner
  }

  /// Creates an empty file and opens it for reading and appending.
  func file(_ name: String) throws(ProcessSupervisor.StartFailure) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC
    let descriptor = open("\(path)/\(name)", flags, 0o600)
    guard descriptor >= 0 else { throw ProcessSupervisor.StartFailure(errorNumber: errno) }
    return descriptor
  }

  func remove() { luath_remove_tree(path) }
}
