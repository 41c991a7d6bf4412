import Batch
import Delegates
import Encoding
import HTTP
import Journal
import Lua
import OIDC

/// The libraries of the system that luath uses itself.
enum SystemLibraries {
  static var all: [SystemLibrary] {
    [
      .lua, .curl, .microhttpd, .openSSL, .sqlite, .libpq, .xml, .qrencode, .zlib, .argon2, .xcrypt,
    ]
  }
}

extension SystemLibrary {
  /// Its version and what else is known, in a few words.
  var facts: String {
    let known = version ?? headerVersion.map { "\($0) when compiled" } ?? "tells no version"
    return note.map { "\(known) (\($0))" } ?? known
  }
}
