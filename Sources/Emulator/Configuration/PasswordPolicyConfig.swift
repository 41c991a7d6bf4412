internal import System

/// A project's password requirements: Google's `PasswordPolicyConfig`.
struct PasswordPolicyConfig {
  /// Whether a password that misses a requirement is refused.
  let isEnforced: Bool
  /// Whether existing passwords must meet the policy at the next sign-in.
  let isForcedOnSignIn: Bool
  let lengths: ClosedRange<Int>
  let needsLowercase: Bool
  let needsUppercase: Bool
  let needsDigit: Bool
  let needsSymbol: Bool
  /// The options an administrator set; nil without a policy.
  private let chosen: JSONObject?

  /// The characters that count as non-alphanumeric, as Google lists them.
  static let symbols = "^$*.[]{}()?\"!@#%&/\\,><':;|_~`-"
  /// The ranges Google allows for the two lengths.
  static let allowedLengths = (minimum: 6...30, maximum: 6...4096)

  init(_ config: JSONObject) {
    isEnforced = config["passwordPolicyEnforcementState"]?.string == "ENFORCE"
    isForcedOnSignIn = config["forceUpgradeOnSignin"]?.bool == true
    let options = config["passwordPolicyVersions"]?.array?.first?["customStrengthOptions"]
    chosen = config.isEmpty ? nil : options?.object ?? JSONObject()
    let minimum = options?["minPasswordLength"]?.integer.map { Int($0) } ?? 6
    let maximum = options?["maxPasswordLength"]?.integer.map { Int($0) } ?? 4096
    lengths = minimum...max(minimum, maximum)
    needsLowercase = options?["containsLowercaseCharacter"]?.bool == true
    needsUppercase = options?["containsUppercaseCharacter"]?.bool == true
    needsDigit = options?["containsNumericCharacter"]?.bool == true
    needsSymbol = options?["containsNonAlphanumericCharacter"]?.bool == true
  }

  /// A requirement that a password does not meet.
  struct Shortcoming {
    /// Google's `UserNotification` code.
    let code: String
    let text: String

    var notification: JSON {
      ["notificationCode": .string(code), "notificationMessage": .string(text)]
    }
  }

  /// The requirements that a password does not meet, in the order and with the messages of Google's responses.
  func shortcomings(of password: String) -> [Shortcoming] {
    var missing: [Shortcoming] = []
    let count = password.utf16.count
    if count < lengths.lowerBound {
      missing.append(
        Shortcoming(
          code: "MINIMUM_PASSWORD_LENGTH",
          text: "Password must contain at least \(lengths.lowerBound) characters"))
    }
    if count > lengths.upperBound {
      missing.append(
        Shortcoming(
          code: "MAXIMUM_PASSWORD_LENGTH",
          text: "Password may contain at most \(lengths.upperBound) characters"))
    }
    func need(_ isNeeded: Bool, _ code: String, _ kind: String, _ fits: (Character) -> Bool) {
      guard isNeeded, !password.contains(where: fits) else { return }
      missing.append(
        Shortcoming(
          code: "MISSING_\(code)_CHARACTER", text: "Password must contain \(kind) character"))
    }
    need(needsLowercase, "LOWERCASE", "a lower case") { ("a"..."z").contains($0) }
    need(needsUppercase, "UPPERCASE", "an upper case") { ("A"..."Z").contains($0) }
    need(needsDigit, "NUMERIC", "a numeric") { ("0"..."9").contains($0) }
    need(needsSymbol, "NON_ALPHANUMERIC", "a non-alphanumeric") { Self.symbols.contains($0) }
    return missing
  }

  /// The policy as clients read it: `GET v2/passwordPolicy` (measured).
  var wire: JSONObject {
    guard let chosen else {
      return [
        "customStrengthOptions": ["minPasswordLength": 6, "maxPasswordLength": 4096],
        "schemaVersion": 1, "enforcementState": "ENFORCE",
      ]
    }
    var wire: JSONObject = [
      "customStrengthOptions": .object(chosen.withoutDefaults), "schemaVersion": 1,
    ]
    if needsSymbol {
      wire["allowedNonAlphanumericCharacters"] = .array(Self.symbols.map { .string(String($0)) })
    }
    wire["enforcementState"] = .string(isEnforced ? "ENFORCE" : "OFF")
    if isForcedOnSignIn { wire["forceUpgradeOnSignin"] = true }
    return wire
  }
}
