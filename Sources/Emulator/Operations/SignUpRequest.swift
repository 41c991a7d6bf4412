internal import System
internal import IdentityToolkit

/// The fields of an `accounts:signUp` request.
struct SignUpRequest {
  let email: String?
  let password: String?
  let idToken: String?
  let localID: String?
  let displayName: String?
  let photoURL: String?
  let phoneNumber: String?
  let isEmailVerified: Bool?
  let isDisabled: Bool?
  /// `mfaInfo`: the account's first second factors.
  let factors: [JSON]?

  init(_ fields: Fields) throws(Refusal) {
    email = try fields.string("email")
    password = fields.text("password")
    idToken = fields.text("idToken")
    localID = try fields.string("localId")
    displayName = try fields.string("displayName")
    photoURL = try fields.string("photoUrl")
    phoneNumber = try fields.string("phoneNumber")
    isEmailVerified = try fields.bool("emailVerified")
    isDisabled = try fields.bool("disabled")
    factors = fields.value("mfaInfo")?.array
  }
}
