import Encoding
import Scripting

/// The output of `luath --version`: the version, the commit, and the loaded libraries.
enum VersionText {
  static var text: String {
    let rows =
      [("commit", commit)]
      + SystemLibraries.all.map { ($0.name, $0.facts) }
    let width = rows.map(\.0.count).max() ?? 0
    let lines = rows.map { name, value in
      name + String(repeating: " ", count: width - name.count) + "  \(value)\n"
    }
    return "luath \(Version.current)\n" + lines.joined()
  }

  /// The commit as text, and whether the build has other changes.
  static var commit: String {
    guard let commit = BuiltCommit.hash else { return "unknown: not built in a git repository" }
    return BuiltCommit.isChanged ? "\(commit), and changes that are in no commit" : commit
  }
}
