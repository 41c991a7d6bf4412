import Host
import Batch
import SignIn
import System
import HTTP
import Storage
import Lua
import OIDC

/// The system libraries that luath uses directly.
enum SystemLibraries {
  static var all: [SystemLibrary] {
    [
      .lua, .curl, .microhttpd, .openSSL, .sqlite, .libpq, .xml, .qrencode, .zlib, .argon2, .xcrypt,
    ]
  }
}

extension SystemLibrary {
  /// The version and note, in a few words.
  var facts: String {
    let known = version ?? headerVersion.map { "\($0) when compiled" } ?? "tells no version"
    return note.map { "\(known) (\($0))" } ?? known
  }
}
