internal import Glibc

struct ProcessEnvironment: Sendable {
  private var variables: [String: String]

  init(_ variables: [String: String]) { self.variables = variables }

  static var current: ProcessEnvironment {
    var variables: [String: String] = [:]
    var entry = Glibc.environ
    while let line = entry.pointee {
      let pair = String(cString: line).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
      entry += 1
    }
    return ProcessEnvironment(variables)
  }

  /// The value of a variable; nil when it is unset or empty.
  subscript(name: String) -> String? {
    get { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    set { variables[name] = newValue }
  }

  /// All variables as NAME=VALUE.
  var lines: [String] { variables.map { "\($0.key)=\($0.value)" } }

  /// Returns the path of the first of these programs that is in PATH.
  func program(_ names: [String]) -> String? {
    for name in names {
      if case .found(let path) = ProgramSearch(name, path: self["PATH"], from: "/") { return path }
    }
    return nil
  }

  static func isProgram(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
}

/// The result of a search for a program, as shells do it.
package enum ProgramSearch: Sendable {
  /// The path, from the folder of the search.
  case found(String)
  /// A file of the name, which is not an executable file.
  case notExecutable(String)
  case missing

  /// Searches a name without a slash in the folders of PATH; another name is the path itself.
  ///
  /// - Parameters:
  ///   - path: The value of PATH; nil for the system's usual folders.
  ///   - folder: The folder from which relative paths start.
  package init(_ name: String, path: String?, from folder: String) {
    let isPath = name.utf8.contains(UInt8(ascii: "/"))
    let folders = (path ?? "/usr/local/bin:/usr/bin:/bin").split(
      separator: ":", omittingEmptySubsequences: false)
    // An empty entry of PATH is the current folder.
    let candidates = isPath ? [name] : folders.map { "\($0.isEmpty ? "." : $0)/\(name)" }
    var unusable: String?
    for candidate in candidates {
      let whole = candidate.hasPrefix("/") ? candidate : "\(folder)/\(candidate)"
      if ProcessEnvironment.isProgram(whole) {
        self = .found(candidate)
        return
      }
      var facts = stat()
      // A folder of the name is no program; shells go on with the next folder of PATH.
      guard stat(whole, &facts) == 0, isPath || facts.st_mode & S_IFMT != S_IFDIR else { continue }
      unusable = unusable ?? candidate
    }
    self = unusable.map { .notExecutable($0) } ?? .missing
  }
}
