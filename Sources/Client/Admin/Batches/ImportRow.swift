public import System
import IdentityToolkit

/// One account of an import, in the API's JSON.
public struct ImportRow: Sendable {
  /// The allowed fields of its table, the same as in an account's record.
  static let names = [
    "uid", "email", "emailVerified", "displayName", "photoURL", "phoneNumber", "disabled",
    "metadata", "customClaims", "tenantID", "providerData", "multiFactor", "tokensValidAfterTime",
    "passwordHash", "passwordSalt",
  ]

  /// The uid.
  let uid: String
  let body: JSONObject
  /// The decoded hash; nil when there is none, or only an emulator's placeholder.
  let hash: [UInt8]?
  /// Whether there is a password, hashed or as an emulator's placeholder.
  var hasPassword: Bool { body["passwordHash"] != nil }

  /// Parses an account with the names of Firebase's Admin SDKs.
  public init(_ json: JSON) throws(AdminError) {
    let reader = try RecordReader(json, names: Self.names)
    guard let uid = try reader.text("uid") else { throw reader.fault("uid", "is missing") }
    try Admin.check(uid: uid)
    var body: JSONObject = ["localId": .string(uid)]
    for (wire, name) in [
      ("email", "email"), ("displayName", "displayName"), ("photoUrl", "photoURL"),
      ("phoneNumber", "phoneNumber"), ("tenantId", "tenantID"), ("passwordHash", "passwordHash"),
      ("salt", "passwordSalt"),
    ] {
      body[wire] = try reader.text(name).map(JSON.string)
    }
    body["emailVerified"] = try reader.flag("emailVerified").map(JSON.bool)
    body["disabled"] = try reader.flag("disabled").map(JSON.bool)
    if let claims = reader.value("customClaims") {
      body["customAttributes"] = .string(try CustomClaims.text(claims))
    }
    body["validSince"] = try reader.whole("tokensValidAfterTime").map {
      .string(String($0 / 1000))
    }
    if let times = try reader.record(
      "metadata", names: ["creationTime", "lastSignInTime", "lastRefreshTime"])
    {
      body["createdAt"] = try times.whole("creationTime").map { .string(String($0)) }
      body["lastLoginAt"] = try times.whole("lastSignInTime").map { .string(String($0)) }
      body["lastRefreshAt"] = try times.text("lastRefreshTime").map(JSON.string)
    }
    if let ways = try reader.list("providerData") {
      body["providerUserInfo"] = .array(try Self.identities(ways))
    }
    if let factors = try EnrolledFactor.list(reader), !factors.isEmpty {
      body["mfaInfo"] = .array(factors.map(\.wire))
    }
    try self.init(uid: uid, body)
  }

  init(uid: String, _ body: JSONObject) throws(AdminError) {
    self.uid = uid
    self.body = body
    guard let text = body["passwordHash"]?.string, !Self.isReadable(text) else {
      hash = nil
      return
    }
    guard let bytes = Base64.decodeAnyAlphabet(text) else {
      throw Self.notBase64("passwordHash")
    }
    if let salt = body["salt"]?.string, Base64.decodeAnyAlphabet(salt) == nil {
      throw Self.notBase64("passwordSalt")
    }
    hash = bytes
  }

  /// Returns the provider identities, without password and phone, which follow from the account's fields.
  private static func identities(_ ways: [JSON]) throws(AdminError) -> [JSON] {
    var identities: [JSON] = []
    for (index, way) in ways.enumerated() {
      let reader = try RecordReader(
        way, "providerData[\(index + 1)].", names: ProviderLink.names)
      let link = try ProviderLink(reader)
      if link.providerID != "password", link.providerID != "phone" { identities.append(link.wire) }
    }
    return identities
  }

  /// Whether this is the placeholder of Firebase's emulator for a hash.
  private static func isReadable(_ hash: String) -> Bool {
    hash.utf8.starts(with: "fakeHash:".utf8)
  }

  private static func notBase64(_ name: String) -> AdminError {
    AdminError(
      .invalidArgument, "\(name) is not in base 64", hint: "pass crypto.base64(bytes)")
  }
}
