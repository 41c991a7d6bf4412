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

    /// How long the link is good for where codes expire, in seconds.
    ///
    /// An hour, six hours and three days are what Google's staff have told for production; nobody has said how
    /// long the last two live, of which the way back from an unwanted change must outlast a holiday.
    var lifetime: Int64 {
      switch self {
      case .passwordReset: 3600
      case .emailSignIn: 6 * 3600
      case .verifyEmail, .verifyAndChangeEmail: 3 * 86_400
      case .recoverEmail: 30 * 86_400
      }
    }
  }

  let code: String
  let purpose: Purpose
  let email: String
  let newEmail: String?
  /// The account the code was made for; nil for a sign-in link, which may make one.
  let uid: String?
  /// The page the link leads to.
  let handler: String
  let apiKey: String
  let tenantID: String?
  let continueURL: String?
  /// Seconds since 1970.
  let createdAt: Int64
  /// The language of the letter.
  var language = "en"

  /// The link as it stands in the letter.
  var link: String {
    var query = FormFields([
      ("mode", purpose.mode), ("lang", language), ("oobCode", code), ("apiKey", apiKey),
    ])
    if let continueURL { query.append("continueUrl", continueURL) }
    if let tenantID { query.append("tenantId", tenantID) }
    let joint = handler.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
    return handler + joint + Link.formEncoded(query)
  }

  /// What stands for the password in the link of a reset.
  static let passwordPlaceholder = "NEW_PASSWORD_HERE"

  /// The link of a reset with room for the new password.
  var templateLink: String { "\(link)&newPassword=\(Self.passwordPlaceholder)" }

  /// Purpose and address of a code that a newer one with the same ends; nil where an older code stays good.
  var topic: ExactString? {
    switch purpose {
    case .passwordReset, .emailSignIn, .verifyAndChangeEmail:
      ExactString(string: "\(purpose.rawValue) \(email)")
    case .recoverEmail, .verifyEmail: nil
    }
  }

  func isExpired(at now: Int64) -> Bool { now >= createdAt + purpose.lifetime }

  /// The entry of the emulator's listing.
  var wire: JSON {
    var entry: JSONObject = [
      "email": .string(email), "requestType": .string(purpose.rawValue), "oobCode": .string(code),
      "oobLink": .string(link),
    ]
    entry.set("newEmail", newEmail)
    return .object(entry)
  }

  /// What the letter says, in one line for a terminal.
  var notice: String {
    let to = Backend.printable(email)
    switch purpose {
    case .emailSignIn: return "To sign in as \(to), follow this link: \(link)"
    case .passwordReset:
      return "To reset the password for \(to), follow this link: \(templateLink)"
    case .verifyEmail: return "To verify the email address \(to), follow this link: \(link)"
    case .verifyAndChangeEmail:
      return "To verify and change the email address from \(to) to "
        + "\(Backend.printable(newEmail ?? "")), follow this link: \(link)"
    case .recoverEmail: return "To reset your email address to \(to), follow this link: \(link)"
    }
  }
}
