internal import Encoding
internal import HTTP
internal import OIDC

/// Shows that a form came from the emulator's own page and from the same browser.
///
/// The browser keeps a random cookie that no other site can make it send (SameSite=Strict), and each form
/// carries a code that only the emulator can make from that cookie.
struct FormSeal {
  private let key = SecureRandom.bytes(32)
  private let cookie: String

  /// Browsers share cookies between the ports of a host, so the name holds the port.
  init(port: UInt16) {
    cookie = "luath-page-\(port)"
  }

  /// The value of a browser's cookie; a new one when it has none yet.
  func visit(_ request: HTTPRequest) -> Visit {
    if let value = value(of: request) { return Visit(cookie: nil, code: code(for: value)) }
    let fresh = SecureRandom.token()
    return Visit(
      cookie: "\(cookie)=\(fresh); Path=/; HttpOnly; SameSite=Strict", code: code(for: fresh))
  }

  /// One request of a browser for a page.
  struct Visit {
    /// What the answer sets, for a browser that comes for the first time.
    let cookie: String?
    /// What the page's forms carry.
    let code: String
  }

  func accepts(_ request: HTTPRequest, code given: String?) -> Bool {
    guard let given, let value = value(of: request) else { return false }
    return constantTimeEqual(given, code(for: value))
  }

  private func code(for value: String) -> String {
    Base64URL.encode(Digest.hmacSHA256(key: key, message: Array(value.utf8)))
  }

  private func value(of request: HTTPRequest) -> String? {
    for header in request.headers.all("Cookie") {
      for pair in header.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == cookie else { continue }
        // What we made ourselves looks like this; a planted value would at least be as long.
        guard parts[1].utf8.count == 43 else { return nil }
        return String(parts[1])
      }
    }
    return nil
  }
}
