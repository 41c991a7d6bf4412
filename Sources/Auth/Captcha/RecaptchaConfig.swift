import Encoding

/// Which calls a project asks a reCAPTCHA for, and how to get one.
public struct RecaptchaConfig: Sendable, Equatable {
  /// The site key, with which a page or an app gets tokens.
  public let siteKey: String?

  /// What becomes of calls with e-mail addresses that bring none: `OFF`, `AUDIT` or `ENFORCE`.
  public let emailPassword: String

  /// The same for calls with phone numbers.
  public let phone: String

  init(_ answer: JSONObject) {
    // `projects/PROJECT/keys/KEY`, of which pages want the last part.
    let key = answer["recaptchaKey"]?.string?.split(separator: "/").last.map { String($0) }
    siteKey = key
    func state(_ provider: String) -> String {
      let states = answer["recaptchaEnforcementState"]?.array ?? []
      let found = states.first { $0["provider"]?.string == provider }
      let state = found?["enforcementState"]?.string ?? ""
      // Projects that have chosen nothing are reported as unspecified.
      return state == "AUDIT" || state == "ENFORCE" ? state : "OFF"
    }
    emailPassword = state("EMAIL_PASSWORD_PROVIDER")
    phone = state("PHONE_PROVIDER")
  }
}
