public import HTTP

/// The parsed address of an emulator.
public enum EmulatorAddress: Sendable {
  case address(WebURL)
  case wrong(message: String, hint: String)

  /// Parses HOST:PORT.
  public init(_ text: String) {
    let port = text.lastIndex(of: ":").map { text[text.index(after: $0)...] } ?? ""
    guard UInt16(port) != nil, let url = WebURL("http://\(text)"), url.pathAndQuery == "/",
      url.fragment == nil
    else {
      self = .wrong(message: "must be HOST:PORT", hint: "such as 127.0.0.1:9099")
      return
    }
    // Emulators are used without TLS, so reject the hosts of real projects.
    let host = url.hostWithoutRoot
    guard !host.hasSuffix(".googleapis.com"), !host.hasSuffix(".firebaseapp.com") else {
      self = .wrong(
        message: "is a host of real projects, which plain http must not reach",
        hint: "use the target firebase, which speaks https")
      return
    }
    self = .address(url)
  }
}
