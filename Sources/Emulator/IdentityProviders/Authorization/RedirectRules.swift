internal import System
internal import HTTP

/// The addresses an app may be redirected to.
struct RedirectRules {
  private let registered: [String]
  private let appDomain: String?

  /// When `registered` is empty, the handler of the app's domain and any address of this machine are allowed.
  init(_ registered: [String], appDomain: String?) {
    self.registered = registered
    self.appDomain = appDomain
  }

  /// Whether the address is allowed; registered ones must match byte for byte (RFC 9700 section 2.1).
  func admit(_ text: String) -> Bool {
    // Refuse a fragment, and characters that browsers may interpret differently.
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C && $0 != 0x23 }),
      let url = WebURL(text)
    else { return false }
    guard registered.isEmpty else {
      return registered.contains { known in
        ExactString(known) == ExactString(text) || Self.differOnlyInPort(url, known)
      }
    }
    if url.scheme == "http", url.isLoopback { return true }
    guard let appDomain, !appDomain.isEmpty else { return false }
    return ExactString(text) == ExactString("https://\(appDomain)/__/auth/handler")
  }

  /// An app on this machine uses any free port (RFC 8252 section 7.3).
  private static func differOnlyInPort(_ url: WebURL, _ known: String) -> Bool {
    guard let known = WebURL(known), known.scheme == "http", known.isLoopback,
      url.scheme == "http"
    else { return false }
    return ExactString(url.host) == ExactString(known.host)
      && ExactString(url.path) == ExactString(known.path)
      && url.query.map { ExactString($0) } == known.query.map { ExactString($0) }
  }
}
