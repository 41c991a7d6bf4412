internal import Encoding

/// A first factor that has been proved, on its way to tokens.
struct FirstFactor: Sendable {
  /// Whom tokens name: `password`, `phone`, or an identity provider's id.
  let provider: String
  /// What functions are told: the provider, but `emailLink` for a link.
  let method: String
  /// Attributes of a SAML or OIDC answer.
  var attributes: JSON?
  /// The profile as the provider gave it: JSON text.
  var rawUserInfo: String?
  /// What the provider gave besides, for functions that the project lets see it.
  var tokens = ProviderTokens()
  /// Whether the client asked for no refresh token, and gets a legacy token.
  var isLegacy = false
  /// The app that asks, for functions.
  var caller = Caller()
  /// The session that goes on when this only adds a way to sign in to an account in use.
  var continued: SignInSession?

  static let password = FirstFactor(provider: "password", method: "password")
  static let emailLink = FirstFactor(provider: "password", method: "emailLink")
  static let phone = FirstFactor(provider: "phone", method: "phone")

  init(provider: String, method: String) {
    self.provider = provider
    self.method = method
  }

  /// The same factor as proved in a call.
  func proved(in call: Call) -> FirstFactor {
    var factor = self
    factor.caller = call.caller
    return factor
  }
}
