/// What values look like that servers generate, by the name of the member they stand under.
enum GeneratedValue {
  /// The kind of a generated id, for a member of this name; nil when the scenario chose the value.
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

  /// The placeholder of an opaque value, of which only the presence is compared.
  static func sealed(_ value: String, under key: String) -> String? {
    guard value.utf8.count >= 16 else { return nil }
    return switch key {
    case "refreshToken", "refresh_token": "<refreshToken>"
    case "mfaPendingCredential": "<mfaPendingCredential>"
    case "challenge": "<challenge>"
    case "sharedSecretKey": "<secret>"
    case "sessionInfo": "<sessionInfo>"
    // The last is the modulus of a public key.
    case "pendingToken", "n": "<text>"
    case "salt" where !value.hasPrefix("fakeSalt"): "<bytes>"
    case "signerKey": "<bytes>"
    case "kid": "<kid>"
    // REDACTED in base64 is the text that Google's servers send to every caller.
    case "passwordHash" where value != "UkVEQUNURUQ=": "<hash>"
    default: nil
    }
  }

  /// The members that hold tokens whose claims are compared.
  static let tokens: Set = ["idToken", "id_token", "access_token", "sessionCookie", "jwt"]
  /// The members that hold addresses.
  static let links: Set = ["oobLink", "urlTemplate", "location", "authUri"]
  /// The members that hold JSON as text.
  static let jsonTexts: Set = ["rawUserInfo", "raw_user_info"]

  private static func isID(_ value: String) -> Bool {
    value.utf8.count == 28 && isAlphanumeric(value)
  }

  private static func isUUID(_ value: String) -> Bool {
    let parts = value.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && parts.joined().utf8.allSatisfy { isDigit($0) || (0x61...0x66).contains($0) }
  }

  /// A display name with five random characters behind it.
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
