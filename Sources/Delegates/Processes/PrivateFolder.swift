internal import CShims
internal import Glibc

/// A folder of our own among the temporary files, which nobody else may enter.
struct PrivateFolder {
  /// Where it is, absolute.
  let path: String

  /// Makes a folder under TMPDIR, or under `/tmp` when that is not set.
  init(_ environment: ProcessEnvironment = .current) throws(Warden.StartFailure) {
    let parent = environment["TMPDIR"] ?? "/tmp"
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

  /// Removes it with everything in it.
  func remove() { luath_remove_tree(path) }
}
