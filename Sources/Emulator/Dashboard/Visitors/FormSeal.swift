internal import System
internal import HTTP
internal import OIDC

/// Verifies that a form came from the dashboard in the same browser.
///
/// The browser has a random cookie that it never sends with another site's requests (SameSite=Strict). Each form has
/// a code that only the emulator can derive from that cookie.
struct FormSeal {
  private let key = SecureRandom.bytes(32)
  private let cookie: String

  /// Browsers share cookies between the ports of a host, so the name includes the port.
  init(port: UInt16) {
    cookie = "luath-page-\(port)"
  }

  /// The form code for a browser's cookie; a browser without one gets a new cookie.
  func visit(_ request: HTTPRequest) -> Visit {
    if let value = value(of: request) { return Visit(cookie: nil, code: code(for: value)) }
    let fresh = SecureRandom.token()
    return Visit(
      cookie: "\(cookie)=\(fresh); Path=/; HttpOnly; SameSite=Strict", code: code(for: fresh))
  }

  /// One page request of a browser.
  struct Visit {
    /// The `Set-Cookie` header for a browser without a cookie.
    let cookie: String?
    /// The code for the page's forms.
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
        // Our own values have this length; a planted one would have to be as long.
        guard parts[1].utf8.count == 43 else { return nil }
        return String(parts[1])
      }
    }
    return nil
  }
}
