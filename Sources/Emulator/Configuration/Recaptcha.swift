internal import System
internal import IdentityToolkit

/// The kinds of calls that a project can require a reCAPTCHA token for; raw values are the names on the wire.
enum Recaptcha: String, CaseIterable {
  case emailAndPassword = "EMAIL_PASSWORD_PROVIDER"
  case phone = "PHONE_PROVIDER"

  /// The kinds of clients that have reCAPTCHA keys.
  static let clients = ["CLIENT_TYPE_WEB", "CLIENT_TYPE_ANDROID", "CLIENT_TYPE_IOS"]

  /// The only reCAPTCHA version.
  static let version = "RECAPTCHA_ENTERPRISE"

  /// The field of Google's `RecaptchaConfig` for this kind.
  private var field: String {
    self == .phone ? "phoneEnforcementState" : "emailPasswordEnforcementState"
  }

  /// `OFF`, `AUDIT` or `ENFORCE`; `ENFORCEMENT_STATE_UNSPECIFIED` when not set.
  func state(in config: JSONObject) -> String {
    let state = config[field]?.string ?? ""
    return ["OFF", "AUDIT", "ENFORCE"].contains(state) ? state : "ENFORCEMENT_STATE_UNSPECIFIED"
  }

  /// Fields that responses include even when they have their default value (measured).
  private static let flags = ["useSmsBotScore", "useSmsTollFraudProtection"]

  /// Google's `RecaptchaConfig` as administrators read it.
  static func shown(_ config: JSONObject) -> JSONObject {
    var shown = config.withoutDefaults
    for provider in allCases {
      let state =
        shown[provider.field]?.string ?? "RECAPTCHA_PROVIDER_ENFORCEMENT_STATE_UNSPECIFIED"
      shown[provider.field] = .string(state)
    }
    showFlags(of: config, in: &shown)
    return shown
  }

  static func showFlags(of config: JSONObject, in shown: inout JSONObject) {
    for name in flags { shown[name] = .bool(config[name]?.bool == true) }
  }
}

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
