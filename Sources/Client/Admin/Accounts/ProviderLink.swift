import System

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
    guard let providerID = try reader.text("providerID") else {
      throw reader.fault("providerID", "is missing")
    }
    guard let uid = try reader.text("uid") else { throw reader.fault("uid", "is missing") }
    self.providerID = providerID
    self.uid = uid
    displayName = try reader.text("displayName")
    email = try reader.text("email")
    photoURL = try reader.text("photoURL")
    phoneNumber = try reader.text("phoneNumber")
  }

  /// The JSON for the API.
  var wire: JSON {
    var wire: JSONObject = ["providerId": .string(providerID), "rawId": .string(uid)]
    wire["displayName"] = displayName.map(JSON.string)
    wire["email"] = email.map(JSON.string)
    wire["photoUrl"] = photoURL.map(JSON.string)
    wire["phoneNumber"] = phoneNumber.map(JSON.string)
    return .object(wire)
  }
}
