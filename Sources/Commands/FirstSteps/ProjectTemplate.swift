/// A project to begin with.
enum ProjectTemplate: String, CaseIterable {
  case journey
  case migration
  case plain

  /// What it is, for the help and for whoever asks for another.
  var summary: String {
    switch self {
    case .journey: "journeys for luath test"
    case .migration: "a plan for luath batch"
    case .plain: "a script for luath run"
    }
  }

  /// Its files by path, in the order in which a person should look at them.
  var files: [(path: String, text: String)] {
    let all = EmbeddedTemplates.files
    let own = all.keys.filter { $0.hasPrefix("\(rawValue)/") }.sorted()
    let parts = own.map { (String($0.dropFirst(rawValue.utf8.count + 1)), $0) }
    let common = [(".gitignore", "all/gitignore.txt")]
    return (parts + common).map { path, name in
      // The embedded text ends where the file's last line break was.
      (path, all[name].map { "\($0)" } ?? "")
    }.sorted { Self.rank($0.path) < Self.rank($1.path) }
  }

  /// The page to read first, then the project file, then the rest.
  private static func rank(_ path: String) -> String {
    switch path {
    case "README.md": "0"
    case "luath.lua": "1"
    case _ where path.hasPrefix("."): "3\(path)"
    default: "2\(path)"
    }
  }

  /// What to type first in the new project, behind the name or path of luath.
  var firstCommands: [String] {
    switch self {
    case .journey: ["test"]
    case .migration: ["emulator    # in another terminal", "run --target trial seed.lua"]
    case .plain: ["run main.lua"]
    }
  }
}
