public import Encoding
import IdentityToolkit

extension Auth {
  /// Asks which calls of this project need a reCAPTCHA.
  ///
  /// Solving one needs a browser or an app with the site key; its token is for `recaptchaToken`.
  public func initializeRecaptchaConfig() async throws(AuthError) -> RecaptchaConfig {
    let answer = try await backend.get(
      .getRecaptchaConfig,
      [("clientType", Backend.clientType), ("version", Backend.recaptchaVersion)],
      tenantID: tenantID)
    let config = RecaptchaConfig(answer)
    guard config.siteKey != nil || (config.emailPassword == "OFF" && config.phone == "OFF") else {
      throw AuthError(.recaptchaSiteKeyMissing)
    }
    return config
  }

  /// The token of a reCAPTCHA that was solved elsewhere; goes with the next call that takes one, and
  /// is nil from then on.
  ///
  /// Such calls are sign-up and sign-in with a password, and the sending of letters and messages.
  public var recaptchaToken: Secret? {
    get { backend.recaptchaToken }
    set { backend.recaptchaToken = newValue }
  }
}
