import Host

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

  /// The files by path, in the order in which the user should read them.
  var files: [(path: String, text: String)] {
    let all = EmbeddedTemplates.files
    let own = all.keys.filter { $0.hasPrefix("\(rawValue)/") }.sorted()
    let parts = own.map { (String($0.dropFirst(rawValue.utf8.count + 1)), $0) }
    let common = [(".gitignore", "all/gitignore.txt")]
    return (parts + common).map { path, name in
      // The embedded text lacks the file's final line break.
      (path, all[name].map { "\($0)" } ?? "")
    }.sorted { Self.rank($0.path) < Self.rank($1.path) }
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
    case .migration: ["emulator    # in another terminal", "run --target trial seed.lua"]
    case .plain: ["run main.lua"]
    }
  }
}
