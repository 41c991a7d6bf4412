public import System

/// An account to create.
public struct NewUser: Sendable {
  /// The allowed fields of its table.
  public static let names = [
    "uid", "email", "emailVerified", "phoneNumber", "password", "displayName", "photoURL",
    "disabled", "multiFactor",
  ]

  let body: JSONObject

  /// Parses a table with the names of Firebase's Admin SDKs; all fields are optional.
  public init(_ json: JSON) throws(AdminError) {
    let reader = try RecordReader(json, names: Self.names)
    var body = JSONObject()
    func set(_ wire: String, _ name: String) throws(AdminError) {
      body[wire] = try reader.text(name).map(JSON.string)
    }
    try set("localId", "uid")
    if let uid = body["localId"]?.string { try Admin.check(uid: uid) }
    try set("email", "email")
    try set("phoneNumber", "phoneNumber")
    try set("password", "password")
    try set("displayName", "displayName")
    try set("photoUrl", "photoURL")
    body["emailVerified"] = try reader.flag("emailVerified").map(JSON.bool)
    body["disabled"] = try reader.flag("disabled").map(JSON.bool)
    if let factors = try EnrolledFactor.list(reader), !factors.isEmpty {
      var list: [JSON] = []
      for factor in factors { list.append(try factor.newWire()) }
      body["mfaInfo"] = .array(list)
    }
    self.body = body
  }
}
