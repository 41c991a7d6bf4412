public import Encoding

/// What the person at the keyboard would type and choose.
public struct SignInAnswers: Sendable {
  /// The e-mail address or user name for the login form, and the account picked in a chooser.
  public var username: String
  /// The password, sent only to the provider the sign-in began at.
  public var password: Secret?
  /// Whether to accept what the consent page asks for; false presses its deny button.
  public var consent: Bool
  /// Answers for any other field, by the field's name or label.
  public var fields: [String: Secret]
  /// Origins besides the provider's own site that may have the password, such as
  /// `https://login.live.com` for a sign-in that begins at `https://login.microsoftonline.com`.
  public var trustedOrigins: [String]
  /// The languages to ask pages for, as in an Accept-Language header.
  public var languages: String?

  /// Answers of one person.
  public init(
    username: String, password: Secret? = nil, consent: Bool = true, fields: [String: Secret] = [:],
    trustedOrigins: [String] = [], languages: String? = nil
  ) {
    self.username = username
    self.password = password
    self.consent = consent
    self.fields = fields
    self.trustedOrigins = trustedOrigins
    self.languages = languages
  }

  /// All that must not be seen again.
  var secrets: [Secret] { Array(fields.values) + [password].compactMap { $0 } }
}
