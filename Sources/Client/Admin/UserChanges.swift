import IdentityToolkit
public import System

/// The changes of an account's fields.
public struct UserChanges: Sendable {
  /// The allowed fields of their table.
  public static let names = [
    "email", "emailVerified", "phoneNumber", "password", "displayName", "photoURL", "disabled",
    "customClaims", "multiFactor", "providerToLink", "providersToUnlink",
  ]

  private var fields = JSONObject()
  private var deletedAttributes: [String] = []
  private var deletedProviders: [String] = []

  /// Parses a table with the names of Firebase's Admin SDKs, in which false clears a field.
  public init(_ json: JSON) throws(AdminError) {
    let reader = try RecordReader(json, names: Self.names)
    try set("email", try reader.change("email"), clearing: "EMAIL")
    try set("password", try reader.change("password"), clearing: "PASSWORD")
    try set("displayName", try reader.change("displayName"), clearing: "DISPLAY_NAME")
    try set("photoUrl", try reader.change("photoURL"), clearing: "PHOTO_URL")
    let number = try reader.change("phoneNumber")
    fields["phoneNumber"] = number.value.map(JSON.string)
    if number.isClear { deletedProviders.append("phone") }
    fields["emailVerified"] = try reader.boolIfAny("emailVerified").map(JSON.bool)
    fields["disableUser"] = try reader.boolIfAny("disabled").map(JSON.bool)
    if let claims = reader.value("customClaims") {
      fields["customAttributes"] = .string(try CustomClaims.text(claims))
    }
    if let factors = try EnrolledFactor.list(reader) {
      fields["mfa"] = ["enrollments": .array(factors.map(\.wire))]
    }
    try unlink(reader)
    try link(reader)
    guard !fields.isEmpty || !deletedAttributes.isEmpty || !deletedProviders.isEmpty else {
      throw AdminError(
        .invalidArgument, "there is nothing to change",
        hint: "name at least one field: \(Self.names.joined(separator: ", "))")
    }
  }

  private mutating func set(
    _ wire: String, _ change: FieldChange<String>, clearing attribute: String
  ) throws(AdminError) {
    fields[wire] = change.value.map(JSON.string)
    if change.isClear { deletedAttributes.append(attribute) }
  }

  private mutating func unlink(_ reader: RecordReader) throws(AdminError) {
    for item in try reader.listIfAny("providersToUnlink") ?? [] {
      guard let id = item.string, !id.isEmpty else {
        throw reader.fault("providersToUnlink", "must be a list of provider ids")
      }
      if id == "phone", fields["phoneNumber"] != nil {
        throw reader.fault("providersToUnlink", "names phone, and there is a new phoneNumber")
      }
      if !deletedProviders.contains(id) { deletedProviders.append(id) }
    }
  }

  /// As in the SDKs, linking `email` or `phone` sets the e-mail address or phone number.
  private mutating func link(_ reader: RecordReader) throws(AdminError) {
    guard let inner = try reader.readerIfAny("providerToLink", names: ProviderLink.names) else {
      return
    }
    let identity = try ProviderLink(inner)
    switch identity.providerID {
    case "email":
      try link(as: "email", identity.uid, inner, isCleared: deletedAttributes.contains("EMAIL"))
    case "phone":
      try link(
        as: "phoneNumber", identity.uid, inner, isCleared: deletedProviders.contains("phone"))
    case "password":
      throw inner.fault("providerID", "cannot be password: set email and password instead")
    default: fields["linkProviderUserInfo"] = identity.wire
    }
  }

  private mutating func link(
    as field: String, _ uid: String, _ reader: RecordReader, isCleared: Bool
  ) throws(AdminError) {
    guard fields[field] == nil, !isCleared else {
      throw reader.fault("providerID", "means \(field), which is given as well")
    }
    fields[field] = .string(uid)
  }

  func body(uid: String) -> JSONObject {
    var body: JSONObject = ["localId": .string(uid)]
    for (name, value) in fields.entries { body[name] = value }
    if !deletedAttributes.isEmpty {
      body["deleteAttribute"] = .array(deletedAttributes.map(JSON.string))
    }
    if !deletedProviders.isEmpty {
      body["deleteProvider"] = .array(deletedProviders.map(JSON.string))
    }
    return body
  }
}

/// A change of one field of an account.
enum FieldChange<Value: Sendable>: Sendable {
  case keep
  case set(Value)
  case clear

  var value: Value? {
    guard case .set(let value) = self else { return nil }
    return value
  }

  var isClear: Bool {
    guard case .clear = self else { return false }
    return true
  }
}

/// A user's identity at a provider, to be linked with an account.
struct ProviderLink {
  let providerID: String
  let uid: String
  private let displayName: String?
  private let email: String?
  private let photoURL: String?
  private let phoneNumber: String?

  /// The allowed fields of its table.
  static let names = [
    "providerID", "uid", "displayName", "email", "photoURL", "phoneNumber",
  ]

  /// Parses a table with at least `providerID` and `uid`.
  init(_ reader: RecordReader) throws(AdminError) {
    let providerID = try reader.text("providerID")
    let uid = try reader.text("uid")
    self.providerID = providerID
    self.uid = uid
    displayName = try reader.textIfAny("displayName")
    email = try reader.textIfAny("email")
    photoURL = try reader.textIfAny("photoURL")
    phoneNumber = try reader.textIfAny("phoneNumber")
  }

  var wire: JSON {
    var wire: JSONObject = ["providerId": .string(providerID), "rawId": .string(uid)]
    wire["displayName"] = displayName.map(JSON.string)
    wire["email"] = email.map(JSON.string)
    wire["photoUrl"] = photoURL.map(JSON.string)
    wire["phoneNumber"] = phoneNumber.map(JSON.string)
    return .object(wire)
  }
}

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
      body[wire] = try reader.textIfAny(name).map(JSON.string)
    }
    try set("localId", "uid")
    if let uid = body["localId"]?.string { try Admin.check(uid: uid) }
    try set("email", "email")
    try set("phoneNumber", "phoneNumber")
    try set("password", "password")
    try set("displayName", "displayName")
    try set("photoUrl", "photoURL")
    body["emailVerified"] = try reader.boolIfAny("emailVerified").map(JSON.bool)
    body["disabled"] = try reader.boolIfAny("disabled").map(JSON.bool)
    if let factors = try EnrolledFactor.list(reader), !factors.isEmpty {
      var list: [JSON] = []
      for factor in factors { list.append(try factor.newWire()) }
      body["mfaInfo"] = .array(list)
    }
    self.body = body
  }
}
