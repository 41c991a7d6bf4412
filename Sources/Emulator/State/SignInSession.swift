internal import Encoding

/// What the tokens of one sign-in say beyond the account itself.
struct SignInSession: Sendable {
  /// The provider that vouched: `password`, `anonymous`, `custom`, `phone`, `passkey`, or an id such as
  /// `microsoft.com`.
  let provider: String
  /// Seconds since 1970 when the person last proved who they are; refreshing does not renew it.
  var authTime: Int64
  /// Claims of a custom token or of a blocking function, which live as long as the session.
  var extraClaims = JSONObject()
  /// The second factor that was used.
  var secondFactor: UsedFactor?
  /// Attributes of a SAML or OIDC answer, shown as `firebase.sign_in_attributes`.
  var attributes: JSON?

  init(provider: String, authTime: Int64) {
    self.provider = provider
    self.authTime = authTime
  }

  /// The same session, with another provider that vouches.
  init(continuing session: SignInSession, provider: String) {
    self.init(provider: provider, authTime: session.authTime)
    extraClaims = session.extraClaims
    secondFactor = session.secondFactor
  }

  struct UsedFactor: Sendable {
    /// The enrolment.
    let id: String
    /// `phone` or `totp`.
    let provider: String
  }
}
