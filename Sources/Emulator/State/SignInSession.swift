internal import System

/// The claims of one sign-in's tokens that do not come from the account.
struct SignInSession: Sendable {
  /// The provider of the sign-in: `password`, `anonymous`, `custom`, `phone`, `passkey`, or an
  /// id such as `microsoft.com`.
  let provider: String
  /// When the user last authenticated, in seconds since 1970; refreshing a token does not change it.
  var authTime: Int64
  /// Claims of a custom token or a blocking function, valid as long as the session.
  var extraClaims = JSONObject()
  var secondFactor: UsedFactor?
  /// Attributes of a SAML or OIDC response, shown as `firebase.sign_in_attributes`.
  var attributes: JSON?

  init(provider: String, authTime: Int64) {
    self.provider = provider
    self.authTime = authTime
  }

  /// Continues a session with another provider.
  init(continuing session: SignInSession, provider: String) {
    self.init(provider: provider, authTime: session.authTime)
    extraClaims = session.extraClaims
    secondFactor = session.secondFactor
  }

  struct UsedFactor: Sendable {
    /// The enrollment id.
    let id: String
    /// `phone` or `totp`.
    let provider: String
  }
}
