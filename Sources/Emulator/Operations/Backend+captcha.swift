internal import System
internal import IdentityToolkit

extension Backend {
  /// The kind of sign-in that a captcha protects; the raw values are the names of settings.
  enum CaptchaSubject: String {
    case email = "emailPasswordEnforcementState"
    case phone = "phoneEnforcementState"
  }

  /// Refuses a request without a captcha or proof of an app, where the project requires one.
  ///
  /// An emulator cannot check a token, so it accepts any but the one that SDKs send when they have none.
  func requireCaptcha(_ fields: Fields, for subject: CaptchaSubject) throws(Refusal) {
    if rules[.projectSettings], captchaEnforcement(subject) == "ENFORCE" {
      guard let token = fields.text("captchaResponse") ?? fields.text("captchaResp") else {
        throw Refusal(.missingRecaptchaToken)
      }
      guard fields.text("clientType") != nil else { throw Refusal(.missingClientType) }
      guard fields.text("recaptchaVersion") != nil else { throw Refusal(.missingRecaptchaVersion) }
      guard token != "NO_RECAPTCHA" else { throw Refusal(.invalidRecaptchaToken) }
    } else if subject == .phone, configuration.requiresAppCredential {
      let proofs = ["recaptchaToken", "iosReceipt", "captchaResponse", "playIntegrityToken"]
      guard proofs.contains(where: { fields.text($0) != nil }) else {
        throw Refusal(.missingClientIdentifier)
      }
      guard fields.text("iosReceipt") == nil || fields.text("iosSecret") != nil else {
        throw Refusal(.missingAppCredential)
      }
    }
  }

  private func captchaEnforcement(_ subject: CaptchaSubject) -> String? {
    let settings =
      tenantID == nil
      ? configuration.settings["recaptchaConfig"] : tenant?.settings["recaptchaConfig"]
    return settings?[subject.rawValue]?.string
  }
}
