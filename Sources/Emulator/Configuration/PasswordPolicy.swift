internal import Encoding

/// What a project asks of passwords: Google's `PasswordPolicyConfig`.
struct PasswordPolicy {
  /// Whether a password that misses something is refused.
  let isEnforced: Bool
  /// Whether a password that was good once must meet the policy at the next sign-in.
  let isForcedOnSignIn: Bool
  let lengths: ClosedRange<Int>
  let needsLowercase: Bool
  let needsUppercase: Bool
  let needsDigit: Bool
  let needsSymbol: Bool

  /// The characters that count as neither letters nor digits, as Google lists them.
  static let symbols = "^$*.[]{}()?\"!@#%&/\\,><':;|_~`-"
  /// The lengths Google allows a policy to ask for.
  static let allowedLengths = (minimum: 6...30, maximum: 6...4096)

  init(_ config: JSONObject) {
    isEnforced = config["passwordPolicyEnforcementState"]?.string == "ENFORCE"
    isForcedOnSignIn = config["forceUpgradeOnSignin"]?.bool == true
    let options = config["passwordPolicyVersions"]?.array?.first?["customStrengthOptions"]
    let minimum = options?["minPasswordLength"]?.integer.map { Int($0) } ?? 6
    let maximum = options?["maxPasswordLength"]?.integer.map { Int($0) } ?? 4096
    lengths = minimum...max(minimum, maximum)
    needsLowercase = options?["containsLowercaseCharacter"]?.bool == true
    needsUppercase = options?["containsUppercaseCharacter"]?.bool == true
    needsDigit = options?["containsNumericCharacter"]?.bool == true
    needsSymbol = options?["containsNonAlphanumericCharacter"]?.bool == true
  }

  /// What a password lacks, in the order and the words of Google's answers.
  func shortcomings(of password: String) -> [String] {
    var missing: [String] = []
    let count = password.utf16.count
    if count < lengths.lowerBound {
      missing.append("Password must contain at least \(lengths.lowerBound) characters")
    }
    func need(_ isNeeded: Bool, _ kind: String, _ fits: (Character) -> Bool) {
      if isNeeded, !password.contains(where: fits) {
        missing.append("Password must contain \(kind) character")
      }
    }
    need(needsLowercase, "a lower case") { ("a"..."z").contains($0) }
    need(needsUppercase, "an upper case") { ("A"..."Z").contains($0) }
    need(needsDigit, "a numeric") { ("0"..."9").contains($0) }
    need(needsSymbol, "a non-alphanumeric") { Self.symbols.contains($0) }
    if count > lengths.upperBound {
      missing.append("Password may contain at most \(lengths.upperBound) characters")
    }
    return missing
  }

  /// The policy as clients may read it: `GET v2/passwordPolicy`.
  var wire: JSONObject {
    var options: JSONObject = [
      "minPasswordLength": .integer(Int64(lengths.lowerBound)),
      "maxPasswordLength": .integer(Int64(lengths.upperBound)),
    ]
    if needsLowercase { options["containsLowercaseCharacter"] = true }
    if needsUppercase { options["containsUppercaseCharacter"] = true }
    if needsDigit { options["containsNumericCharacter"] = true }
    if needsSymbol { options["containsNonAlphanumericCharacter"] = true }
    return [
      "customStrengthOptions": .object(options), "schemaVersion": 1,
      "allowedNonAlphanumericCharacters": .array(
        Self.symbols.map { .string(String($0)) }),
      "enforcementState": .string(isEnforced ? "ENFORCE" : "OFF"),
      "forceUpgradeOnSignin": .bool(isForcedOnSignIn),
    ]
  }
}
