internal import System

/// A code sent by e-mail as part of a link.
struct OutOfBandCode: Sendable {
  /// What the link is for: raw values are those of the API, `mode` is the link's parameter.
  enum Purpose: String, Sendable {
    case emailSignIn = "EMAIL_SIGNIN"
    case passwordReset = "PASSWORD_RESET"
    case recoverEmail = "RECOVER_EMAIL"
    case verifyEmail = "VERIFY_EMAIL"
    case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"

    /// The e-mail type that `beforeSendEmail` functions receive; nil if they are not called for such an e-mail.
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

    /// How long the link is valid where codes expire, in seconds.
    ///
    /// Measured: exactly an hour for a password reset, more than 65 minutes for the others. Six
    /// hours and three days are what Google's staff have said. The 30 days to take back a change of
    /// address are assumed: longer than a holiday.
    var lifetime: Int64 {
      switch self {
      case .passwordReset: 3600
      case .emailSignIn: 6 * 3600
      case .verifyEmail, .verifyAndChangeEmail: 3 * 86_400
      case .recoverEmail: 30 * 86_400
      }
    }
  }

  /// How the request for an e-mail refers to an app.
  struct AppLink {
    /// Whether the app applies the code itself (`canHandleCodeInApp`).
    var isInApp = false
    var hasApp = false

    static let none = AppLink()
  }

  /// The path of links that open an app.
  static let appLinkPath = "/__/auth/links"

  let code: String
  let purpose: Purpose
  let email: String
  let newEmail: String?
  /// The account the code was made for; nil for a sign-in link, which may create one.
  let uid: String?
  /// The page the link leads to.
  let handler: String
  let apiKey: String
  let tenantID: String?
  let continueURL: String?
  /// Seconds since 1970.
  let createdAt: Int64
  var language = "en"
  var linkForm = LinkForm.emulator
  /// The URL that opens the app and takes the link or the page as its parameter; nil without an app.
  var appLink: String?

  /// The order of a link's parameters; the raw values appear in state records.
  enum LinkForm: String, Sendable {
    case emulator
    /// The order of Google's servers for a link that their own page handles (measured).
    case handler
    /// The order of Google's servers for a link that opens an app (measured: the key comes first).
    case app
  }

  /// The link in the e-mail; if an app applies the code, it is wrapped in a link to the app (measured).
  var link: String {
    guard let appLink, linkForm == .app else { return handlerLink }
    return Self.wrapped(handlerLink, in: appLink)
  }

  private static func wrapped(_ link: String, in appLink: String) -> String {
    "\(appLink)?\(Link.formEncoded(FormFields([("link", link)])))"
  }

  /// The link's `continueUrl`, wrapped in a link to the app if there is one (measured).
  private var nextPage: String? {
    guard let appLink, linkForm == .handler else { return continueURL }
    return continueURL.map { Self.wrapped($0, in: appLink) }
  }

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

  static let passwordPlaceholder = "NEW_PASSWORD_HERE"

  /// The reset link with a placeholder for the new password.
  var templateLink: String { "\(handlerLink)&newPassword=\(Self.passwordPlaceholder)" }

  /// Purpose and address: a newer code with the same topic ends this one; nil if older codes stay valid.
  var topic: ExactString? {
    switch purpose {
    case .passwordReset, .emailSignIn, .verifyAndChangeEmail:
      ExactString(string: "\(purpose.rawValue) \(email)")
    case .recoverEmail, .verifyEmail: nil
    }
  }

  func isExpired(at now: Int64) -> Bool { now >= createdAt + purpose.lifetime }

  /// The entry in the emulator's list of codes.
  var wire: JSON {
    var entry: JSONObject = [
      "email": .string(email), "requestType": .string(purpose.rawValue), "oobCode": .string(code),
      "oobLink": .string(link),
    ]
    entry.set("newEmail", newEmail)
    return .object(entry)
  }

  /// The e-mail's content in one line, for a terminal.
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

extension OutOfBandCode: Recorded {
  var record: JSONObject {
    var record: JSONObject = [
      "code": .string(code), "purpose": .string(purpose.rawValue), "email": .string(email),
      "handler": .string(handler), "apiKey": .string(apiKey), "createdAt": .integer(createdAt),
    ]
    record.set("newEmail", newEmail)
    record.set("uid", uid)
    record.set("tenantId", tenantID)
    record.set("continueUrl", continueURL)
    if language != "en" { record["language"] = .string(language) }
    if linkForm != .emulator { record["linkForm"] = .string(linkForm.rawValue) }
    record.set("appLink", appLink)
    return record
  }

  init?(record: JSONObject) {
    guard let code = record["code"]?.string,
      let purpose = record["purpose"]?.string.flatMap(Purpose.init(rawValue:)),
      let email = record["email"]?.string, let handler = record["handler"]?.string,
      let apiKey = record["apiKey"]?.string, let createdAt = record["createdAt"]?.integer
    else { return nil }
    self.init(
      code: code, purpose: purpose, email: email, newEmail: record["newEmail"]?.string,
      uid: record["uid"]?.string, handler: handler, apiKey: apiKey,
      tenantID: record["tenantId"]?.string, continueURL: record["continueUrl"]?.string,
      createdAt: createdAt, language: record["language"]?.string ?? "en",
      linkForm: record["linkForm"]?.string.flatMap(LinkForm.init(rawValue:)) ?? .emulator,
      appLink: record["appLink"]?.string)
  }
}
