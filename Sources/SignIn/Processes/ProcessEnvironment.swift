internal import Glibc

struct ProcessEnvironment: Sendable {
  private var variables: [String: String]

  init(_ variables: [String: String]) { self.variables = variables }

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

  /// The value of a variable; nil when it is unset or empty.
  subscript(name: String) -> String? {
    get { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    set { variables[name] = newValue }
  }

  /// All variables as NAME=VALUE.
  var lines: [String] { variables.map { "\($0.key)=\($0.value)" } }

  /// Returns the path of the first of these programs that is in PATH.
  func program(_ names: [String]) -> String? {
    let folders = (self["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    for name in names {
      for folder in folders where Self.isProgram("\(folder)/\(name)") { return "\(folder)/\(name)" }
    }
    return nil
  }

  static func isProgram(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
}
