import Host

/// The formats of values that servers generate, by member name.
enum GeneratedValue {
  /// The kind of a generated id in a member of this name; nil for other values.
  static func kind(of value: String, under key: String) -> String? {
    switch key {
    case "localId", "user_id", "sub", "uid": isID(value) ? "uid" : nil
    case "mfaEnrollmentId", "second_factor_identifier":
      isID(value) || isUUID(value) ? "factor" : nil
    case "tenantId", "tenant", "tenant_id": isID(value) || isTenantName(value) ? "tenant" : nil
    case "oobCode": isOpaque(value) ? "oobCode" : nil
    case "temporaryProof": isOpaque(value) ? "temporaryProof" : nil
    case "sessionId": value.utf8.count == 27 && isAlphanumeric(value) ? "sessionId" : nil
    default: nil
    }
  }

  /// The placeholder for an opaque value, of which only the presence is compared.
  static func sealed(_ value: String, under key: String) -> String? {
    guard value.utf8.count >= 16 else { return nil }
    return switch key {
    case "refreshToken", "refresh_token": "<refreshToken>"
    case "mfaPendingCredential": "<mfaPendingCredential>"
    case "challenge": "<challenge>"
    case "sharedSecretKey": "<secret>"
    case "sessionInfo": "<sessionInfo>"
    // `n` is the modulus of a public key.
    case "pendingToken", "n": "<text>"
    case "salt" where !value.hasPrefix("fakeSalt"): "<bytes>"
    case "signerKey": "<bytes>"
    case "kid": "<kid>"
    // Google's servers send every caller this text instead of the hash: REDACTED in base64.
    case "passwordHash" where value != "UkVEQUNURUQ=": "<hash>"
    default: nil
    }
  }

  /// The members with tokens, whose claims are compared.
  static let tokens: Set = ["idToken", "id_token", "access_token", "sessionCookie", "jwt"]
  /// The members with URLs.
  static let links: Set = ["oobLink", "urlTemplate", "location", "authUri"]
  /// The members with JSON as text.
  static let jsonTexts: Set = ["rawUserInfo", "raw_user_info"]

  private static func isID(_ value: String) -> Bool {
    value.utf8.count == 28 && isAlphanumeric(value)
  }

  private static func isUUID(_ value: String) -> Bool {
    let parts = value.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && parts.joined().utf8.allSatisfy { isDigit($0) || (0x61...0x66).contains($0) }
  }

  /// Whether it is a display name followed by five random characters.
  private static func isTenantName(_ value: String) -> Bool {
    let parts = value.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last, last.utf8.count == 5 else { return false }
    return (10...26).contains(value.utf8.count)
      && value.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2D }
  }

  private static func isOpaque(_ value: String) -> Bool {
    value.utf8.count >= 16
      && value.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2D || $0 == 0x5F }
  }

  private static func isAlphanumeric(_ value: String) -> Bool {
    value.utf8.allSatisfy { isLetter($0) || isDigit($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
