import Host
import Glibc

/// The command to call this program.
enum OwnProgram {
  /// `luath` if the shell finds this program by that name, otherwise the absolute path, quoted for a shell.
  static func spelling(_ console: Console) -> String {
    // Without /proc, the program's path is unknown.
    guard let own = resolved("/proc/self/exe") else { return "luath" }
    // Skip empty entries, which mean the current folder (environ(7)): the user will be in the new project's folder.
    for folder in console.environment["PATH", default: ""].split(separator: ":")
    where folder.hasPrefix("/") && access("\(folder)/luath", X_OK) == 0 {
      // The shell takes the first match, even if it is another luath.
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
