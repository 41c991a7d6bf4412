public import System
import IdentityToolkit

extension Auth {
  /// Reads which calls of this project need a reCAPTCHA token.
  ///
  /// A browser or an app gets a token with the site key. Assign it to `recaptchaToken`.
  public func initializeRecaptchaConfig() async throws(AuthError) -> RecaptchaConfig {
    let answer = try await backend.get(
      .getRecaptchaConfig,
      [("clientType", AuthContext.clientType), ("version", AuthContext.recaptchaVersion)],
      tenantID: tenantID)
    let config = RecaptchaConfig(answer)
    guard config.siteKey != nil || (config.emailPassword == "OFF" && config.phone == "OFF") else {
      throw AuthError(.recaptchaSiteKeyMissing)
    }
    return config
  }

  /// A reCAPTCHA token that was obtained elsewhere, for the next call that accepts one; then it becomes nil.
  ///
  /// Such calls are sign-up and sign-in with a password, and sending e-mails and SMS.
  public var recaptchaToken: Secret? {
    get { backend.recaptchaToken }
    set { backend.recaptchaToken = newValue }
  }
}
