internal import System

/// The second factors that a project or tenant allows.
struct SecondFactorSettings {
  /// Whether users with a second factor are asked for it.
  var isOn: Bool
  var allowsSMS: Bool
  var allowsTOTP: Bool
  /// How many time steps before or after the current one an app's code may be.
  var adjacentIntervals = 5

  /// Reads Google's `MultiFactorAuthConfig`.
  init(_ settings: JSONObject) {
    isOn = Self.isOn(settings["state"])
    allowsSMS =
      isOn && settings["enabledProviders"]?.array?.contains { $0.string == "PHONE_SMS" } == true
    let app = settings["providerConfigs"]?.array?.first { $0["totpProviderConfig"] != nil }
    allowsTOTP = isOn && app.map { Self.isOn($0["state"]) } == true
    if let steps = app?["totpProviderConfig"]?["adjacentIntervals"]?.integer {
      adjacentIntervals = Int(min(max(steps, 0), 10))
    }
  }

  /// The settings of a project that has no `MultiFactorAuthConfig`.
  init(allowsSMS: Bool, allowsTOTP: Bool) {
    isOn = allowsSMS || allowsTOTP
    self.allowsSMS = allowsSMS
    self.allowsTOTP = allowsTOTP
  }

  private static func isOn(_ state: JSON?) -> Bool {
    state?.string == "ENABLED" || state?.string == "MANDATORY"
  }
}
