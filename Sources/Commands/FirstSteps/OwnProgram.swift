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
      return resolved("\(folder)/luath") == own ? "luath" : ShellWord.quoted(own)
    }
    return ShellWord.quoted(own)
  }

  private static func resolved(_ path: String) -> String? {
    guard let whole = realpath(path, nil) else { return nil }
    defer { free(whole) }
    return String(cString: whole)
  }
}
