internal import Glibc

/// Finds programs as a shell does.
enum Programs {
  /// The first of these names that the folders of PATH hold, in the order of the names.
  static func find(_ names: [String]) -> String? {
    let path = environmentVariable("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
    let folders = path.split(separator: ":")
    for name in names {
      for folder in folders where isProgram("\(folder)/\(name)") { return "\(folder)/\(name)" }
    }
    return nil
  }

  /// Whether there is a file that this process may run.
  static func isProgram(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
}
