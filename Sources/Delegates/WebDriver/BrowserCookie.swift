public import Encoding

/// A cookie as the browser holds it, HttpOnly ones included.
public struct BrowserCookie: Sendable, Equatable {
  /// The name.
  public var name: String
  /// The value.
  public var value: Secret
  /// The host, with a dot in front when hosts below it get the cookie too; nil is the page's host.
  public var domain: String?
  /// The path below which it is sent.
  public var path: String
  /// Whether it is sent over https only.
  public var isSecure: Bool
  /// Whether scripts cannot see it.
  public var isHTTPOnly: Bool
  /// When it ends, in seconds since 1970; nil is with the browser.
  public var expiry: Int64?
  /// `Strict`, `Lax` or `None`.
  public var sameSite: String?

  /// A cookie of the page's host.
  public init(
    name: String, value: Secret, domain: String? = nil, path: String = "/", isSecure: Bool = false,
    isHTTPOnly: Bool = false, expiry: Int64? = nil, sameSite: String? = nil
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.path = path
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
    self.expiry = expiry
    self.sameSite = sameSite
  }

  /// Reads a cookie as drivers write it (WebDriver Level 2 section 14).
  init?(_ json: JSON) {
    guard let name = json["name"]?.string, let value = json["value"]?.string else { return nil }
    self.init(
      name: name, value: Secret(value), domain: json["domain"]?.string,
      path: json["path"]?.string ?? "/", isSecure: json["secure"]?.bool ?? false,
      isHTTPOnly: json["httpOnly"]?.bool ?? false, expiry: json["expiry"]?.integer,
      sameSite: json["sameSite"]?.string)
  }

  var json: JSON {
    var members: JSONObject = [
      "name": .string(name), "value": .string(value.reveal()), "path": .string(path),
      "secure": .bool(isSecure), "httpOnly": .bool(isHTTPOnly),
    ]
    members["domain"] = domain.map { .string($0) }
    members["expiry"] = expiry.map { .integer($0) }
    members["sameSite"] = sameSite.map { .string($0) }
    return .object(members)
  }
}
