internal import System
internal import IdentityToolkit

/// The fields of an `accounts:update` request.
struct AccountChange {
  let idToken: String?
  let localID: String?
  let oobCode: String?
  let email: String?
  let password: String?
  let displayName: String?
  let photoURL: String?
  let phoneNumber: String?
  let deletedAttributes: [String]
  let deletedProviders: [String]
  /// The ids of passkeys to remove; nil if the request has no list.
  let deletedPasskeys: [String]?
  let emailVerified: Bool?
  let disableUser: Bool?
  /// The times as the request has them, here and in the next two fields.
  let validSince: String?
  let createdAt: String?
  let lastLoginAt: String?
  let customAttributes: String?
  /// The second factors that replace the existing ones; nil if the request does not mention any.
  let enrollments: [JSON]?

  /// Reads the fields; with `takesAnyTime`, as in Firebase's emulator, times need not be
  /// numbers and an empty ID token counts as absent.
  init(_ fields: Fields, takesAnyTime: Bool) throws(Refusal) {
    for name in ["provider", "upgradeToFederatedLogin"] where fields.has(name) {
      throw .notImplemented("\(name) is not implemented yet.")
    }
    idToken = takesAnyTime ? fields.text("idToken") : try fields.string("idToken")
    localID = fields.text("localId")
    oobCode = fields.text("oobCode")
    email = fields.text("email")
    password = fields.text("password")
    displayName = try fields.string("displayName")
    photoURL = try fields.string("photoUrl")
    phoneNumber = fields.text("phoneNumber")
    deletedAttributes = try fields.strings("deleteAttribute") ?? []
    deletedProviders = try fields.strings("deleteProvider") ?? []
    deletedPasskeys = try fields.strings("deletePasskey")
    emailVerified = try fields.bool("emailVerified")
    disableUser = try fields.bool("disableUser")
    if !takesAnyTime {
      for name in ["validSince", "createdAt", "lastLoginAt"] { _ = try fields.integer(name) }
    }
    validSince = try fields.string("validSince")
    createdAt = try fields.string("createdAt")
    lastLoginAt = try fields.string("lastLoginAt")
    customAttributes = try fields.string("customAttributes")
    enrollments =
      fields.has("mfa") ? fields.value("mfa")?["enrollments"]?.array ?? [] : nil
  }

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
}
