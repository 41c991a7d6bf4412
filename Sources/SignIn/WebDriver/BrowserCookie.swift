public import System

/// A cookie of the browser, possibly HttpOnly.
public struct BrowserCookie: Sendable, Equatable {
  /// The name.
  public let name: String
  /// The value.
  public let value: Secret
  /// The domain, with a leading dot when subdomains get the cookie too; nil for the page's host.
  public let domain: String?
  /// The path prefix for which it is sent.
  public let path: String
  /// Whether it is sent over HTTPS only.
  public let isSecure: Bool
  /// Whether it is hidden from scripts.
  public let isHTTPOnly: Bool
  /// The expiry in seconds since 1970; nil for a session cookie.
  public let expiry: Int64?
  /// `Strict`, `Lax` or `None`.
  public let sameSite: String?

  /// Reads a cookie from a driver's JSON (WebDriver Level 2 section 14).
  init?(_ json: JSON) {
    guard let name = json["name"]?.string, let value = json["value"]?.string else { return nil }
    self.name = name
    self.value = Secret(value)
    domain = json["domain"]?.string
    path = json["path"]?.string ?? "/"
    isSecure = json["secure"]?.bool ?? false
    isHTTPOnly = json["httpOnly"]?.bool ?? false
    expiry = json["expiry"]?.integer
    sameSite = json["sameSite"]?.string
  }
}
