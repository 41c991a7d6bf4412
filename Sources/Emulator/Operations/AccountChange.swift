internal import Encoding
internal import IdentityToolkit

/// The fields of an `accounts:update` request.
struct AccountChange {
  let idToken: String?
  let localID: String?
  let hasOOBCode: Bool
  let email: String?
  let password: String?
  let displayName: String?
  let photoURL: String?
  let deletedAttributes: [String]
  let deletedProviders: [String]
  let emailVerified: Bool?
  let disableUser: Bool?
  let validSince: Int64?
  let customAttributes: JSONObject?

  init(_ fields: Fields) throws(Refusal) {
    idToken = try fields.string("idToken")
    localID = try fields.string("localId")
    hasOOBCode = try fields.string("oobCode") != nil
    email = try fields.string("email")
    password = try fields.string("password")
    displayName = try fields.string("displayName")
    photoURL = try fields.string("photoUrl")
    deletedAttributes = try fields.strings("deleteAttribute") ?? []
    deletedProviders = try fields.strings("deleteProvider") ?? []
    emailVerified = try fields.bool("emailVerified")
    disableUser = try fields.bool("disableUser")
    validSince = try fields.integer("validSince")
    customAttributes = try Self.attributes(try fields.string("customAttributes"))
  }

  /// Whether the request would give the account another address.
  func changesEmail(of account: Account) -> Bool {
    guard let email else { return false }
    let current = account.email.map { ExactString(string: $0) }
    return current != ExactString(string: email.asciiLowercased)
  }

  /// Whether the change needs a recent sign-in.
  func isSensitive(for account: Account) -> Bool {
    password != nil || changesEmail(of: account)
      || deletedAttributes.contains { $0 == "EMAIL" || $0 == "PASSWORD" }
  }

  private static func attributes(_ text: String?) throws(Refusal) -> JSONObject? {
    guard let text else { return nil }
    guard text.utf8.count <= 1000 else { throw Refusal(.claimsTooLarge) }
    if text.isEmpty { return JSONObject() }
    guard let parsed = try? JSON.parse(text), case .object(let object) = parsed else {
      throw Refusal(.invalidClaims)
    }
    for name in object.keys where Backend.reservedClaims.contains(name) {
      throw Refusal(.forbiddenClaim, name)
    }
    return object
  }
}
