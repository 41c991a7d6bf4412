import Glibc

/// How this program is to be called.
enum OwnProgram {
  /// `luath` where the shell would find this very program by that name, otherwise its whole path, as a
  /// shell wants it written.
  static func spelling(_ console: Console) -> String {
    // Where /proc is not mounted nothing is known of it.
    guard let own = resolved("/proc/self/exe") else { return "luath" }
    // An empty part is the folder one is in (environ(7)), which the new project's commands are not typed in.
    for folder in console.environment["PATH", default: ""].split(separator: ":")
    where folder.hasPrefix("/") && access("\(folder)/luath", X_OK) == 0 {
      // The first is what the shell takes, also when it is another luath.
      return resolved("\(folder)/luath") == own ? "luath" : quoted(own)
    }
    return quoted(own)
  }

  private static func resolved(_ path: String) -> String? {
    guard let whole = realpath(path, nil) else { return nil }
    defer { free(whole) }
    return String(cString: whole)
  }

  private static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "/._-+".utf8.contains(byte)
      }
    }
    return isPlain ? path : "'\(path.replacing("'", with: "'\\''"))'"
  }
}
