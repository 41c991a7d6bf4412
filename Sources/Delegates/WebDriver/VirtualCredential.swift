public import Encoding

/// A passkey inside a virtual authenticator (WebAuthn Level 2 section 11.5).
public struct VirtualCredential: Sendable, Equatable {
  /// The credential's name, as bytes.
  public let id: [UInt8]
  /// Whether the authenticator finds it without being told its name.
  public let isResident: Bool
  /// The host it is for.
  public let relyingParty: String
  /// The private key, PKCS#8 in base64url.
  public let privateKey: Secret
  /// The user it stands for; only resident ones have one.
  public let userHandle: [UInt8]?
  /// How often it has signed.
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
