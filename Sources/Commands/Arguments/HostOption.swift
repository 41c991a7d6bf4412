import HTTP
import Scripting

/// Reads `--host`: the address a server listens on.
enum HostOption {
  /// The address behind the one name that needs no look-up.
  static func address(_ text: String) -> String {
    switch text.lowercased() {
    case "localhost": return "127.0.0.1"
    // As a URL has it.
    case let text where text.hasPrefix("[") && text.hasSuffix("]"):
      return String(text.dropFirst().dropLast())
    default: return text
    }
  }

  /// Whether only this machine can reach the address.
  static func isLoopback(_ address: String) -> Bool {
    let host = address.contains(":") ? "[\(address)]" : address
    return WebURL("http://\(host)/")?.isLoopback == true
  }

  /// What is said before an emulator lets other machines in.
  static func warning(_ address: String) -> String {
    "luath: warning: on \(address.printable) other machines can reach the emulator\n"
      + "  hint: whoever reaches it can read and change every account; leave --host out to keep it here\n"
  }
}
