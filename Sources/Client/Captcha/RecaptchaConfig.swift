import System

/// The calls for which a project requires reCAPTCHA, and the site key.
public struct RecaptchaConfig: Sendable, Equatable {
  /// The site key for getting tokens in a page or an app.
  public let siteKey: String?

  /// The enforcement for calls with e-mail addresses: `OFF`, `AUDIT` or `ENFORCE`.
  public let emailPassword: String

  /// The enforcement for calls with phone numbers.
  public let phone: String

  init(_ answer: JSONObject) {
    // `projects/PROJECT/keys/KEY`, of which pages need the last part.
    let key = answer["recaptchaKey"]?.string?.split(separator: "/").last.map { String($0) }
    siteKey = key
    func state(_ provider: String) -> String {
      let states = answer["recaptchaEnforcementState"]?.array ?? []
      let found = states.first { $0["provider"]?.string == provider }
      let state = found?["enforcementState"]?.string ?? ""
      // Without settings the project's state is unspecified.
      return state == "AUDIT" || state == "ENFORCE" ? state : "OFF"
    }
    emailPassword = state("EMAIL_PASSWORD_PROVIDER")
    phone = state("PHONE_PROVIDER")
  }
}
