public import System

/// A virtual security key or phone for passkeys (WebAuthn Level 2 section 11.2).
public struct VirtualAuthenticator: Sendable, Equatable {
  /// The transport between browser and authenticator.
  public enum Transport: String, Sendable, CaseIterable {
    case usb, nfc, ble, `internal`, hybrid
  }

  /// The protocol: `ctap2`, `ctap2_1` or `ctap1/u2f`.
  public var speaks = "ctap2"
  /// The transport.
  public var transport = Transport.internal
  /// Whether it stores discoverable passkeys, which need no user name.
  public var hasResidentKey = true
  /// Whether it supports user verification.
  public var hasUserVerification = true
  /// Whether the user consents to every request.
  public var consents = true
  /// Whether user verification succeeds.
  public var isUserVerified = true

  /// Creates a built-in authenticator whose user is present, verified and consents.
  public init() {}

  var json: JSON {
    [
      "protocol": .string(speaks), "transport": .string(transport.rawValue),
      "hasResidentKey": .bool(hasResidentKey),
      "hasUserVerification": .bool(hasUserVerification), "isUserConsenting": .bool(consents),
      "isUserVerified": .bool(isUserVerified),
    ]
  }
}

/// A passkey in a virtual authenticator (WebAuthn Level 2 section 11.5).
public struct VirtualCredential: Sendable, Equatable {
  /// The credential id.
  public let id: [UInt8]
  /// Whether it is discoverable, that is, found without its id.
  public let isResident: Bool
  /// The relying party's host.
  public let relyingParty: String
  /// The private key, PKCS#8 in Base64URL.
  let privateKey: Secret
  /// The user handle; nil unless it is discoverable.
  public let userHandle: [UInt8]?
  /// The signature counter.
  public let signCount: Int64

  init?(_ json: JSON) {
    guard let id = json["credentialId"]?.string.flatMap({ Base64URL.decode($0) }),
      let key = json["privateKey"]?.string
    else { return nil }
    self.id = id
    isResident = json["isResidentCredential"]?.bool ?? false
    relyingParty = json["rpId"]?.string ?? ""
    privateKey = Secret(key)
    userHandle = json["userHandle"]?.string.flatMap { Base64URL.decode($0) }
    signCount = json["signCount"]?.integer ?? 0
  }
}

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

extension Page {
  /// Adds a virtual authenticator and returns its name.
  public func add(_ authenticator: VirtualAuthenticator) async throws(PageError) -> String {
    try await command("add a virtual authenticator") { session throws(WebDriverError) in
      try await session.add(authenticator)
    }
  }

  /// Removes a virtual authenticator.
  public func removeAuthenticator(_ name: String) async throws(PageError) {
    try await command("remove the virtual authenticator") { session throws(WebDriverError) in
      try await session.removeAuthenticator(name)
    }
  }

  /// Sets whether user verification by the virtual authenticator succeeds from now on.
  public func setUserVerified(_ isVerified: Bool, in name: String) async throws(PageError) {
    try await command("set who uses the virtual authenticator") { session throws(WebDriverError) in
      try await session.setUserVerified(isVerified, in: name)
    }
  }

  /// Returns the passkeys of a virtual authenticator.
  public func credentials(of name: String) async throws(PageError) -> [VirtualCredential] {
    try await command("list the passkeys") { session throws(WebDriverError) in
      try await session.credentials(of: name)
    }
  }

  /// Returns the cookies of the page, including HttpOnly ones.
  public func cookies() async throws(PageError) -> [BrowserCookie] {
    try await command("list the cookies") { session throws(WebDriverError) in
      try await session.cookies()
    }
  }

  /// Deletes the cookies of the page.
  public func clearCookies() async throws(PageError) {
    try await command("delete the cookies") { session throws(WebDriverError) in
      try await session.deleteCookies()
    }
  }
}
