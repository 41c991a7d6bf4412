internal import System

/// The fields of an account that few accounts have.
struct RareFields: Sendable {
  var photoURL: String?
  var phoneNumber: String?
  var customAttributes: String?
  var initialEmail: String?
  var factors: [SecondFactor]?
  var passkeys: [Passkey]?
  var furtherFields: JSONObject?
  var writtenTimes: JSONObject?
}
