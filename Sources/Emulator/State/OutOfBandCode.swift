internal import Encoding

/// A code that goes to a person by e-mail, inside a link.
struct OutOfBandCode: Sendable {
  /// What the link is for; the raw values are the API's, the modes the link's.
  enum Purpose: String, Sendable {
    case emailSignIn = "EMAIL_SIGNIN"
    case passwordReset = "PASSWORD_RESET"
    case recoverEmail = "RECOVER_EMAIL"
    case verifyEmail = "VERIFY_EMAIL"
    case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"

    var mode: String {
      switch self {
      case .emailSignIn: "signIn"
      case .passwordReset: "resetPassword"
      case .recoverEmail: "recoverEmail"
      case .verifyEmail: "verifyEmail"
      case .verifyAndChangeEmail: "verifyAndChangeEmail"
      }
    }
  }

  let code: String
  let purpose: Purpose
  let email: String
  let newEmail: String?
  let link: String
  /// Seconds since 1970.
  let createdAt: Int64

  /// The entry of the emulator's listing.
  var wire: JSON {
    var entry: JSONObject = [
      "email": .string(email), "requestType": .string(purpose.rawValue), "oobCode": .string(code),
      "oobLink": .string(link),
    ]
    entry.set("newEmail", newEmail)
    return .object(entry)
  }
}
