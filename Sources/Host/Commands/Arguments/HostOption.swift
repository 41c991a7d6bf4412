import HTTP

/// Parses `--host`, the address to listen on.
public enum HostOption {
  /// The IP address; resolves `localhost` and removes the brackets of an IPv6 address.
  public static func address(_ text: String) -> String {
    switch text.lowercased() {
    case "localhost": return "127.0.0.1"
    // An IPv6 address in the form of URLs.
    case let text where text.hasPrefix("[") && text.hasSuffix("]"):
      return String(text.dropFirst().dropLast())
    default: return text
    }
  }

  /// Whether only this machine can connect to the address.
  public static func isLoopback(_ address: String) -> Bool {
    let host = address.contains(":") ? "[\(address)]" : address
    return WebURL("http://\(host)/")?.isLoopback == true
  }

  /// The warning for an emulator that other machines can reach.
  public static func warning(_ address: String) -> String {
    "luath: warning: on \(address.printable) other machines can reach the emulator\n"
      + "  hint: whoever reaches it can read and change every account; leave --host out to keep it here\n"
  }
}
