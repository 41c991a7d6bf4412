public import Encoding

/// A passkey inside a virtual authenticator (WebAuthn Level 2 section 11.5).
public struct VirtualCredential: Sendable, Equatable {
  /// The credential's name, as bytes.
  public var id: [UInt8]
  /// Whether the authenticator finds it without being told its name.
  public var isResident: Bool
  /// The host it is for.
  public var relyingParty: String
  /// The private key, PKCS#8 in base64url.
  public var privateKey: Secret
  /// The user it stands for; only resident ones have one.
  public var userHandle: [UInt8]?
  /// How often it has signed.
  public var signCount: Int64

  /// A passkey for a host.
  public init(
    id: [UInt8], isResident: Bool, relyingParty: String, privateKey: Secret,
    userHandle: [UInt8]? = nil, signCount: Int64 = 0
  ) {
    self.id = id
    self.isResident = isResident
    self.relyingParty = relyingParty
    self.privateKey = privateKey
    self.userHandle = userHandle
    self.signCount = signCount
  }

  init?(_ json: JSON) {
    guard let id = json["credentialId"]?.string.flatMap({ Base64URL.decode($0) }),
      let key = json["privateKey"]?.string
    else { return nil }
    self.init(
      id: id, isResident: json["isResidentCredential"]?.bool ?? false,
      relyingParty: json["rpId"]?.string ?? "", privateKey: Secret(key),
      userHandle: json["userHandle"]?.string.flatMap { Base64URL.decode($0) },
      signCount: json["signCount"]?.integer ?? 0)
  }

  var json: JSON {
    var members: JSONObject = [
      "credentialId": .string(Base64URL.encode(id)), "isResidentCredential": .bool(isResident),
      "rpId": .string(relyingParty), "privateKey": .string(privateKey.reveal()),
      "signCount": .integer(signCount),
    ]
    members["userHandle"] = userHandle.map { .string(Base64URL.encode($0)) }
    return .object(members)
  }
}
