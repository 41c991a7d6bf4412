public import Encoding

/// A cookie as the browser holds it, HttpOnly ones included.
public struct BrowserCookie: Sendable, Equatable {
  /// The name.
  public let name: String
  /// The value.
  public let value: Secret
  /// The host, with a dot in front when hosts below it get the cookie too; nil is the page's host.
  public let domain: String?
  /// The path below which it is sent.
  public let path: String
  /// Whether it is sent over https only.
  public let isSecure: Bool
  /// Whether scripts cannot see it.
  public let isHTTPOnly: Bool
  /// When it ends, in seconds since 1970; nil is with the browser.
  public let expiry: Int64?
  /// `Strict`, `Lax` or `None`.
  public let sameSite: String?

  /// Reads a cookie as drivers write it (WebDriver Level 2 section 14).
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
