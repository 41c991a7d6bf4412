import System
import Glibc
import Host
import OIDC

/// A template of `luath init`.
enum ProjectTemplate: String, CaseIterable {
  case journey
  case migration
  case plain

  /// The description for the help.
  var summary: String {
    switch self {
    case .journey: "journeys for luath test"
    case .migration: "a plan for luath batch"
    case .plain: "a script for luath run"
    }
  }

  /// The files by path, in the order in which the user should read them; those of a migration have a new marker, by
  /// which `seed.lua` recognizes the project's own emulator.
  ///
  /// - Parameter guide: the name for the template's README.
  func files(guide: String) -> [(path: String, text: String)] {
    let all = EmbeddedTemplates.files
    let own = all.keys.filter { $0.hasPrefix("\(rawValue)/") }.sorted()
    let parts = own.map { (String($0.dropFirst(rawValue.utf8.count + 1)), $0) }
    let common = [(".gitignore", "all/gitignore.txt")]
    let marker = SecureRandom.uuid().prefix(8)
    return (parts + common).sorted { Self.rank($0.0) < Self.rank($1.0) }.map { path, name in
      let text = all[name].map { "\($0)" } ?? ""
      return (path == "README.md" ? guide : path, text.replacing("MARKER", with: marker))
    }
  }

  /// The patterns that the new `.gitignore` has.
  static var ignored: [String] {
    let text = EmbeddedTemplates.files["all/gitignore.txt"].map { "\($0)" } ?? ""
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
  }

  /// The sort key: README first, then the project file, other files, and hidden files last.
  private static func rank(_ path: String) -> String {
    switch path {
    case "README.md": "0"
    case "luath.lua": "1"
    case _ where path.hasPrefix("."): "3\(path)"
    default: "2\(path)"
    }
  }

  /// The first commands to run in the new project, without the name of the program.
  var firstCommands: [String] {
    switch self {
    case .journey: ["test"]
    case .migration:
      ["emulator --port 9700    # in another terminal", "run --target trial seed.lua"]
    case .plain: ["run main.lua"]
    }
  }
}

/// Creates new files and never changes existing ones.
struct NewFiles {
  enum Problem: Error {
    /// These paths already exist and cannot be kept.
    case inTheWay([String])
    /// Creating this path failed, with the system's error message.
    case refused(path: String, words: String)
  }

  /// The absolute path of the folder.
  let folder: String
  let files: [(path: String, text: String)]
  /// The files that stay as they are if they exist already.
  let keepable: Set<String>

  /// Creates the folder and the files; on failure, removes what it created.
  ///
  /// - Returns: The paths of files that existed already.
  func make() throws(Problem) -> [String] {
    let taken = files.map(\.path).compactMap(obstacle)
    let inTheWay = Set(taken).subtracting(keepable)
    guard inTheWay.isEmpty else { throw .inTheWay(inTheWay.sorted()) }
    var made: [() -> Void] = []
    do throws(Problem) {
      try makeFolder(folder, &made)
      for (path, text) in files where !taken.contains(path) {
        if let slash = path.lastIndex(of: "/") {
          try makeFolder("\(folder)/\(path[..<slash])", &made)
        }
        try write(Array(text.utf8), to: "\(folder)/\(path)", &made)
      }
    } catch {
      for undo in made.reversed() { undo() }
      throw error
    }
    return taken
  }

  /// The existing path that prevents creating a file: the file itself, or a parent that is not a folder.
  private func obstacle(_ path: String) -> String? {
    var facts = stat()
    var place = ""
    let parts = path.split(separator: "/")
    for (index, part) in parts.enumerated() {
      place += (index == 0 ? "" : "/") + part
      guard lstat("\(folder)/\(place)", &facts) == 0 else { return nil }
      if index == parts.count - 1 { return place }
      // Do not follow a link to a folder, which may be outside the project.
      if facts.st_mode & S_IFMT != S_IFDIR { return place }
    }
    return nil
  }

  /// Creates a folder and its missing parent folders.
  private func makeFolder(_ path: String, _ made: inout [() -> Void]) throws(Problem) {
    var facts = stat()
    if stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeFolder(String(path[..<slash]), &made)
    }
    guard mkdir(path, 0o777) == 0 else {
      throw .refused(path: path, words: SystemError(errno).words)
    }
    made.append { rmdir(path) }
  }

  private func write(
    _ bytes: [UInt8], to path: String, _ made: inout [() -> Void]
  ) throws(Problem) {
    // O_EXCL also fails if another process created the file meanwhile, or for a dangling link (open(2)).
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw .refused(path: path, words: SystemError(errno).words) }
    made.append { unlink(path) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let words = SystemError(errno).words
        close(file)
        throw .refused(path: path, words: words)
      }
      rest = rest.dropFirst(count)
    }
    guard close(file) == 0 else { throw .refused(path: path, words: SystemError(errno).words) }
  }
}
