import System
import IdentityToolkit

/// Converts accounts to and from the format of `firebase auth:export` and `firebase auth:import`.
enum ExportedUser {
  /// The names in the file and in the API.
  private static let fields = [
    ("localId", "localId"), ("email", "email"), ("emailVerified", "emailVerified"),
    ("passwordHash", "passwordHash"), ("salt", "salt"), ("displayName", "displayName"),
    ("photoUrl", "photoUrl"), ("lastSignedInAt", "lastLoginAt"), ("createdAt", "createdAt"),
    ("phoneNumber", "phoneNumber"), ("disabled", "disabled"),
    ("customAttributes", "customAttributes"), ("mfaInfo", "mfaInfo"),
    ("providerUserInfo", "providerUserInfo"),
  ]

  private static let ofProviders = ["providerId", "rawId", "email", "displayName", "photoUrl"]

  /// What the API returns instead of a hash that the administrator may not see.
  static let redacted = "UkVEQUNURUQ="

  /// Returns the file's entry for an account in the API's JSON.
  static func entry(_ user: JSON) -> JSON {
    var entry = JSONObject()
    for (name, wire) in fields {
      guard let value = user[wire] else { continue }
      switch wire {
      case "passwordHash", "salt":
        if let text = value.string, text != redacted { entry[name] = .string(standard(text)) }
      case "providerUserInfo":
        let identities = (value.array ?? []).filter {
          !["password", "phone"].contains($0["providerId"]?.string)
        }
        entry[name] = .array(
          identities.map { identity in
            .object(
              JSONObject(ofProviders.compactMap { key in identity[key].map { (key, $0) } }))
          })
      default: entry[name] = value
      }
    }
    return .object(entry)
  }

  /// Files use the Base64 alphabet of RFC 4648 section 4, the API that of section 5.
  private static func standard(_ text: String) -> String {
    Base64.decodeAnyAlphabet(text).map(Base64.encode) ?? text
  }

  /// Checks the type: one wrong value would make the backend reject all rows of a request.
  private static func check(
    _ value: JSON, _ reader: RecordReader, _ name: String
  ) throws(AdminError) {
    switch name {
    case "emailVerified", "disabled": _ = try reader.flag(name)
    case "createdAt", "lastSignedInAt":
      guard value.wholeNumber != nil else {
        throw reader.fault(name, "must be milliseconds since 1970")
      }
    case "providerUserInfo", "mfaInfo":
      for item in try reader.list(name) ?? [] where item.object == nil {
        throw reader.fault(name, "must be a list of objects")
      }
    default: _ = try reader.text(name)
    }
  }

  /// Parses an entry of a file.
  static func row(_ entry: JSON) throws(AdminError) -> ImportRow {
    let names = fields.map(\.0)
    let reader = try RecordReader(entry, names: names)
    guard let uid = try reader.text("localId") else { throw reader.fault("localId", "is missing") }
    try Admin.check(uid: uid)
    var body: JSONObject = ["localId": .string(uid)]
    for (name, wire) in fields where name != "localId" {
      guard let value = reader.value(name), value != .string("") else { continue }
      try check(value, reader, name)
      body[wire] = value
    }
    if let text = body["customAttributes"] {
      guard let claims = text.string.flatMap({ try? JSON.parse($0) }) else {
        throw reader.fault("customAttributes", "is not JSON")
      }
      body["customAttributes"] = .string(try CustomClaims.text(claims))
    }
    return try ImportRow(uid: uid, body)
  }
}
