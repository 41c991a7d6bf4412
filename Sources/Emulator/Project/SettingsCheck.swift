internal import System
internal import IdentityToolkit

/// What Google's servers check and complete in settings that an administrator writes (measured).
///
/// Projects and tenants share these parts, some under different names.
struct SettingsCheck {
  /// The update time of a changed password policy, in milliseconds since 1970.
  let now: Int64

  /// Checks the parts of `message` that differ from those of `old`.
  func apply(to message: inout JSONObject, changedFrom old: JSONObject) throws(Refusal) {
    for name in ["mfa", "mfaConfig"] {
      try change(name, in: &message, from: old, Self.factors)
    }
    try change("passwordPolicyConfig", in: &message, from: old, passwordPolicy)
    try change("smsRegionConfig", in: &message, from: old, Self.regions)
    try change(
      "recaptchaConfig", in: &message, from: old,
      { (config) throws(Refusal) in
        try Self.captcha(config, before: old["recaptchaConfig"]?.object ?? JSONObject())
      })
    try change("testPhoneNumbers", in: &message, from: old, Self.testNumbers)
    try change("quota", in: &message, from: old, Self.quota)
  }

  private func change(
    _ name: String, in message: inout JSONObject, from old: JSONObject,
    _ check: (JSONObject) throws(Refusal) -> JSONObject?
  ) throws(Refusal) {
    guard let part = message[name]?.object, message[name] != old[name] else { return }
    message[name] = try check(part).map { .object($0) }
  }

  // MARK: Second factors

  private static func factors(_ config: JSONObject) throws(Refusal) -> JSONObject? {
    var config = config
    if config["state"]?.string ?? "STATE_UNSPECIFIED" == "STATE_UNSPECIFIED" {
      config["state"] = "DISABLED"
    }
    guard let apps = config["providerConfigs"]?.array else { return config }
    // A provider that is not a TOTP provider is dropped.
    let kept = apps.filter { $0["totpProviderConfig"] != nil }
    for app in kept {
      let steps = app["totpProviderConfig"]?["adjacentIntervals"]?.integer ?? 0
      guard (0...10).contains(steps) else {
        throw Refusal(
          verbatim:
            "INVALID_ADJACENT_INTERVAL_RANGE : Allowed number of adjacent intervals must be "
            + "between 0 and 10, inclusive")
      }
    }
    config["providerConfigs"] = kept.isEmpty ? nil : .array(kept)
    return config
  }

  // MARK: Passwords

  private func passwordPolicy(_ config: JSONObject) throws(Refusal) -> JSONObject? {
    guard !config.withoutDefaults.isEmpty else { return nil }
    let versions = config["passwordPolicyVersions"]?.array ?? []
    guard versions.count == 1, var version = versions[0].object else {
      throw Refusal(.invalidConfig, "Policy versions list must be of length 1")
    }
    let options = version["customStrengthOptions"]
    let allowed = PasswordPolicyConfig.allowedLengths
    let minimum = Self.length(options?["minPasswordLength"]) ?? allowed.minimum.lowerBound
    let maximum = Self.length(options?["maxPasswordLength"]) ?? allowed.maximum.upperBound
    guard allowed.minimum.contains(minimum) else {
      throw Refusal(.invalidConfig, "Minimum password length must be between 6 and 30")
    }
    guard maximum >= minimum else {
      throw Refusal(
        .invalidConfig,
        "Maximum password length must be greater than or equal to the minimum password length")
    }
    guard maximum <= allowed.maximum.upperBound else {
      throw Refusal(.invalidConfig, "Maximum password length must be less than or equal to 4096")
    }
    version["schemaVersion"] = 1
    var config = config
    config["passwordPolicyVersions"] = [.object(version)]
    config["lastUpdateTime"] = .string(Timestamp.text(milliseconds: now))
    return config
  }

  /// A configured length; zero means the default.
  private static func length(_ value: JSON?) -> Int? {
    value?.integer.flatMap { $0 == 0 ? nil : Int(clamping: $0) }
  }

  // MARK: Phones

  private static func regions(_ config: JSONObject) throws(Refusal) -> JSONObject? {
    let lists = [
      config["allowlistOnly"]?["allowedRegions"], config["allowByDefault"]?["disallowedRegions"],
    ]
    for region in lists.flatMap({ $0?.array ?? [] }) {
      guard let code = region.string, SMSRegions.isKnown(code) else {
        throw Refusal(verbatim: "INVALID_REGION_CODE : Invalid region code.")
      }
    }
    return config
  }

  /// The test phone numbers, normalized.
  static func testNumbers(_ numbers: JSONObject) throws(Refusal) -> JSONObject? {
    var checked = JSONObject()
    for (text, code) in numbers.entries {
      guard let number = PhoneNumber.normalized(text) else {
        throw Refusal(.invalidPhoneNumber, "Invalid format.")
      }
      checked[number] = code
    }
    return checked.isEmpty ? nil : checked
  }

  private static func quota(_ config: JSONObject) throws(Refusal) -> JSONObject? {
    guard var quota = config["signUpQuotaConfig"]?.object else { return config }
    quota["startTime"] = quota["startTime"] ?? "1970-01-01T00:00:00Z"
    quota["quotaDuration"] = quota["quotaDuration"] ?? "0s"
    // A number that has its default is omitted (measured).
    if quota["quota"]?.string == "0" { quota["quota"] = nil }
    var config = config
    config["signUpQuotaConfig"] = .object(quota)
    return config
  }

  // MARK: Captchas

  private static func captcha(
    _ config: JSONObject, before: JSONObject
  ) throws(Refusal) -> JSONObject? {
    try checkRules(config["managedRules"], "end")
    try checkRules(config["tollFraudManagedRules"], "start")
    let state = Recaptcha.phone.state(in: config)
    let usesScores = ["useSmsBotScore", "useSmsTollFraudProtection"].contains {
      config[$0]?.bool == true
    }
    guard !usesScores || state == "AUDIT" || state == "ENFORCE" else {
      throw Refusal(
        verbatim:
          "INVALID_RECAPTCHA_PHONE_AUTH_CONFIGURATION : Phone auth enforcement state must be "
          + "aligned with toll fraud or bot score enablement.")
    }
    // Google creates the keys; an administrator cannot supply any.
    guard
      config["recaptchaKeys"]?.array?.isEmpty != false
        || config["recaptchaKeys"] == before["recaptchaKeys"]
    else { throw Refusal(verbatim: "INVALID_SITE_KEY") }
    return config
  }

  private static func checkRules(_ rules: JSON?, _ edge: String) throws(Refusal) {
    for rule in rules?.array ?? [] {
      let score = (rule["\(edge)Score"]?.number ?? 0) * 10
      guard (0...10).contains(score), abs(score - score.rounded()) < 1e-6 else {
        throw Refusal(
          .invalidConfig,
          "The \(edge) score in reCAPTCHA managed rules must be a value between 0.0 and 1.0, at 11 "
            + "discrete values; e.g. 0.1, 0.2, 0.3, 0.4, ... 0.9, 1.0.")
      }
      guard rule["action"]?.string == "BLOCK" else {
        throw Refusal(.invalidConfig, "The action in reCAPTCHA managed rules must be set.")
      }
    }
  }

  // MARK: Names

  /// Throws for invalid domains, such as one with a scheme or a port.
  static func checkDomains(_ domains: [String]) throws(Refusal) {
    for domain in domains {
      guard !domain.isEmpty else {
        throw Refusal(verbatim: "INVALID_AUTHORIZED_DOMAIN : An authorized domain is empty.")
      }
      // The IPv6 loopback address is one of the emulator's default domains.
      guard domain == "[::1]" || domain.utf8.allSatisfy(isOfDomain) else {
        throw Refusal(
          verbatim:
            "INVALID_AUTHORIZED_DOMAIN : \(Backend.printable(domain)) should only contain the "
            + "valid domain.")
      }
    }
  }

  private static func isOfDomain(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "-.".utf8.contains(byte) || byte >= 0x80
  }

  /// Throws when a tenant's name is missing or cannot be the start of its id.
  static func checkDisplayName(_ name: String?) throws(Refusal) {
    guard let name, !name.isEmpty else {
      throw Refusal(.missingDisplayName, "Missing tenant with valid display_name.")
    }
    let bytes = Array(name.utf8)
    let isGood =
      (4...20).contains(bytes.count) && bytes[0].isLetter
      && bytes.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
    guard isGood else {
      throw Refusal(
        verbatim:
          "INVALID_DISPLAY_NAME : display_name should start with a letter and only consist of "
          + "letters, digits and hyphens with 4-20 characters.")
    }
  }
}
