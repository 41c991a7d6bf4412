import HTTP
import Host
import Lua
import OIDC
import SignIn
import Storage
import System

/// What `luath --version` prints: itself, the commit it was built from, and the libraries as loaded.
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

  /// The commit, and whether it is that of a release; `Tools/package-version` reads this line.
  static var commit: String {
    guard let commit = BuiltCommit.hash else { return "unknown: not built in a git repository" }
    if BuiltCommit.isChanged { return "\(commit), with changes that are not committed" }
    return BuiltCommit.isRelease ? commit : "\(commit), not a release"
  }
}

/// The system libraries that luath uses directly.
enum SystemLibraries {
  static var all: [SystemLibrary] {
    [
      .lua, .curl, .microhttpd, .openSSL, .sqlite, .libpq, .xml, .psl, .qrencode, .zlib, .argon2,
      .xcrypt,
    ]
  }
}

extension SystemLibrary {
  /// The version and note, in a few words.
  var facts: String {
    let known = version ?? headerVersion.map { "\($0) when compiled" } ?? "reports no version"
    return note.map { "\(known) (\($0))" } ?? known
  }
}
