internal import System

/// A first factor that has been proved and is to lead to tokens.
struct FirstFactor: Sendable {
  /// The provider that tokens name: `password`, `phone`, or an identity provider's id.
  let provider: String
  /// The sign-in method that functions receive: the provider, or `emailLink` for an e-mail link.
  let method: String
  /// Attributes of a SAML or OIDC response.
  var attributes: JSON?
  /// The provider's profile, as JSON text.
  var rawUserInfo: String?
  /// The provider's tokens, for functions that the project lets see them.
  var tokens = ProviderTokens()
  /// Whether the client did not ask for a refresh token and therefore gets a legacy token.
  var isLegacy = false
  /// The calling app, as functions see it.
  var caller = Caller()
  /// The session that continues, if the factor only adds a sign-in method to the signed-in account.
  var continued: SignInSession?

  static let password = FirstFactor(provider: "password", method: "password")
  static let emailLink = FirstFactor(provider: "password", method: "emailLink")
  static let phone = FirstFactor(provider: "phone", method: "phone")

  init(provider: String, method: String) {
    self.provider = provider
    self.method = method
  }

  /// The same factor, proved by the caller of a request.
  func proved(in call: Call) -> FirstFactor {
    var factor = self
    factor.caller = call.caller
    return factor
  }
}
