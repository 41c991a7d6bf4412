internal import Encoding

/// The kinds of calls that a project can ask a reCAPTCHA for, under their names in answers.
enum Recaptcha: String, CaseIterable {
  case emailAndPassword = "EMAIL_PASSWORD_PROVIDER"
  case phone = "PHONE_PROVIDER"

  /// The only version there is.
  static let version = "RECAPTCHA_ENTERPRISE"

  /// `OFF`, `AUDIT` or `ENFORCE`, from Google's `RecaptchaConfig`.
  func state(in config: JSONObject) -> String {
    let name =
      self == .phone ? "phoneEnforcementState" : "emailPasswordEnforcementState"
    let state = config[name]?.string ?? "OFF"
    return state == "AUDIT" || state == "ENFORCE" ? state : "OFF"
  }
}
