public import System

/// What the user would enter and choose.
public struct SignInAnswers: Sendable {
  /// The e-mail address or user name for the login form, also used to choose an account.
  public var username: String
  /// The password, sent only to the provider where the sign-in began.
  public var password: Secret?
  /// Whether to accept consents; false denies them.
  public var consent: Bool
  /// Answers for other fields, by the field's name or label.
  public var fields: [String: Secret]
  /// Origins besides the provider's own site that may receive the password.
  ///
  /// For example `https://login.live.com` for a sign-in that begins at `https://login.microsoftonline.com`.
  public var trustedOrigins: [String]
  /// The preferred languages, as an Accept-Language header.
  public var languages: String?

  /// Creates the answers of one user.
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

  /// All values that must not appear in saved pages.
  var secrets: [Secret] { Array(fields.values) + [password].compactMap { $0 } }
}

/// The limits of a sign-in by the form driver.
public struct FormLimits: Sendable {
  /// The maximum number of pages.
  var pages: Int
  /// The maximum number of consecutive redirects.
  var redirects: Int
  /// The maximum size of a page in bytes.
  var pageBytes: Int
  /// The time limit of the whole sign-in.
  public var duration: Duration

  /// Creates limits; the defaults are 20 pages of at most 2 MiB within a minute.
  public init(
    pages: Int = 20, redirects: Int = 20, pageBytes: Int = 2 << 20,
    duration: Duration = .seconds(60)
  ) {
    self.pages = pages
    self.redirects = redirects
    self.pageBytes = pageBytes
    self.duration = duration
  }
}
