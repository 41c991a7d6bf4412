import System

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
