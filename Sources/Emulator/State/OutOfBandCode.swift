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

    /// What functions are told of the e-mail; nil for those that they are not asked about.
    var functionName: String? {
      switch self {
      case .emailSignIn: "EMAIL_SIGN_IN"
      case .passwordReset: "PASSWORD_RESET"
      default: nil
      }
    }

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
    /// Measured: an hour for a reset, to the second, and more than 65 minutes for the others. Six hours and three
    /// days are what Google's staff have said; a change of address may be taken back for longer than a holiday.
    var lifetime: Int64 {
      switch self {
      case .passwordReset: 3600
      case .emailSignIn: 6 * 3600
      case .verifyEmail, .verifyAndChangeEmail: 3 * 86_400
      case .recoverEmail: 30 * 86_400
      }
    }
  }

  /// What the request for an e-mail says of an app.
  struct AppLink {
    /// Whether the app uses the code itself.
    var isInApp = false
    /// Whether the request names the app.
    var hasApp = false

    static let none = AppLink()
  }

  /// The path that links lead to which open an app where there is one.
  static let appLinkPath = "/__/auth/links"

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
  /// The language of the e-mail.
  var language = "en"
  /// The order of the link's parameters.
  var linkForm = LinkForm.emulator
  /// The address that opens the app, with the link or the page as its parameter; nil without an app.
  var appLink: String?

  /// The orders in which links have their parameters; the raw values are those of records.
  enum LinkForm: String, Sendable {
    /// That of Firebase's emulator.
    case emulator
    /// That of Google's servers for a link that their own page handles (measured).
    case handler
    /// That of Google's servers for a link that opens an app (measured: the key comes first).
    case app
  }

  /// The link as it stands in the e-mail: where an app is to use the code, inside a link to the app (measured).
  var link: String {
    guard let appLink, linkForm == .app else { return handlerLink }
    return Self.wrapped(handlerLink, in: appLink)
  }

  private static func wrapped(_ link: String, in appLink: String) -> String {
    "\(appLink)?\(Link.formEncoded(FormFields([("link", link)])))"
  }

  /// The page that the link leads on to: the app's where there is one (measured).
  private var nextPage: String? {
    guard let appLink, linkForm == .handler else { return continueURL }
    return continueURL.map { Self.wrapped($0, in: appLink) }
  }

  /// The link to the page that handles the code.
  private var handlerLink: String {
    let mode = ("mode", purpose.mode)
    let code = ("oobCode", code)
    let key = ("apiKey", apiKey)
    let language = ("lang", language)
    let page = nextPage.map { [("continueUrl", $0)] } ?? []
    var query =
      switch linkForm {
      case .emulator: FormFields([mode, language, code, key] + page)
      case .handler: FormFields([mode, code, key] + page + [language])
      case .app: FormFields([key, mode, code] + page + [language])
      }
    if let tenantID { query.append("tenantId", tenantID) }
    let joint = handler.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
    return handler + joint + Link.formEncoded(query)
  }

  /// What stands for the password in the link of a reset.
  static let passwordPlaceholder = "NEW_PASSWORD_HERE"

  /// The link of a reset with room for the new password.
  var templateLink: String { "\(handlerLink)&newPassword=\(Self.passwordPlaceholder)" }

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
