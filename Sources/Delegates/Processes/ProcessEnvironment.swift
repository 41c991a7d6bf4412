internal import Glibc

/// Environment variables, as programs are started with.
struct ProcessEnvironment: Sendable {
  private var variables: [String: String]

  /// These variables.
  init(_ variables: [String: String]) { self.variables = variables }

  /// The variables of this process.
  static var current: ProcessEnvironment {
    var variables: [String: String] = [:]
    var entry = environ
    while let line = entry.pointee {
      let pair = String(cString: line).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
      entry += 1
    }
    return ProcessEnvironment(variables)
  }

  /// A variable; nil when it is unset or empty.
  subscript(name: String) -> String? {
    get { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    set { variables[name] = newValue }
  }

  /// All variables as NAME=VALUE.
  var lines: [String] { variables.map { "\($0.key)=\($0.value)" } }

  /// The first of these programs that the folders of PATH hold, in the order of the names.
  func program(_ names: [String]) -> String? {
    let folders = (self["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    for name in names {
      for folder in folders where Self.isProgram("\(folder)/\(name)") { return "\(folder)/\(name)" }
    }
    return nil
  }

  /// Whether there is a file that this process may run.
  static func isProgram(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
}
