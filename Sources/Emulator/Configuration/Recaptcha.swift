internal import System

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
