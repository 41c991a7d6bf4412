import Glibc
import Scripting

/// Finds the files of journeys that operands name.
struct JourneyFiles {
  /// How the names of files end that a folder gives.
  static let endings = ["_journey.lua", "_spec.lua"]

  private let console: Console

  init(_ console: Console) { self.console = console }

  /// The scripts, in the order of the operands, each once; a folder gives its files by name.
  func scripts(_ operands: [String]) throws(CommandFailure) -> [Script] {
    var paths: [String] = []
    for operand in operands.isEmpty ? ["."] : operands {
      paths += try files(of: operand)
    }
    var seen: Set<String> = []
    var scripts: [Script] = []
    for path in paths where seen.insert(path).inserted {
      switch console.read(path) {
      case .success(let text):
        scripts.append(Script(text: text, name: path, folder: Self.folder(of: path)))
      case .failure(let problem):
        throw CommandFailure(
          .usage, "cannot read \(path.printable): \(problem.words)",
          hint: "check the path; it starts from \(console.folder)")
      }
    }
    return scripts
  }

  private func files(of operand: String) throws(CommandFailure) -> [String] {
    var facts = stat()
    guard stat(console.whole(operand), &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
      return [operand]
    }
    var path = operand
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    return below(path == "." ? "" : path + "/")
  }

  private func below(_ prefix: String) -> [String] {
    var found: [String] = []
    for name in names(in: prefix.isEmpty ? "." : prefix) where !name.hasPrefix(".") {
      var facts = stat()
      guard stat(console.whole(prefix + name), &facts) == 0 else { continue }
      if facts.st_mode & S_IFMT == S_IFDIR {
        found += below(prefix + name + "/")
      } else if Self.endings.contains(where: { name.hasSuffix($0) }) {
        found.append(prefix + name)
      }
    }
    return found
  }

  private func names(in folder: String) -> [String] {
    guard let directory = opendir(console.whole(folder)) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
