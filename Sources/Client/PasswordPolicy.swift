import IdentityToolkit
public import System

/// The password requirements of a project.
public struct PasswordPolicy: Sendable, Equatable {
  /// The minimum length, in UTF-16 code units.
  public let minPasswordLength: Int64?

  /// The maximum length, in UTF-16 code units.
  public let maxPasswordLength: Int64?

  /// Whether a lowercase letter is required.
  public let containsLowercaseLetter: Bool

  /// Whether an uppercase letter is required.
  public let containsUppercaseLetter: Bool

  /// Whether a digit is required.
  public let containsNumericCharacter: Bool

  /// Whether one of `allowedNonAlphanumericCharacters` is required.
  public let containsNonAlphanumericCharacter: Bool

  /// The characters that count as non-alphanumeric.
  public let allowedNonAlphanumericCharacters: [String]

  /// `ENFORCE` when the backend refuses passwords that do not meet the policy, otherwise `OFF`.
  public let enforcementState: String

  /// Whether existing passwords must meet the policy at the next sign-in.
  public let forceUpgradeOnSignin: Bool

  /// The only known format of the response.
  private static let knownVersion: Int64 = 1

  init(_ answer: JSONObject) throws(AuthError) {
    guard let version = answer["schemaVersion"]?.wholeNumber, version == Self.knownVersion else {
      throw AuthError(.unsupportedPasswordPolicySchemaVersion)
    }
    let options = answer["customStrengthOptions"]
    func needs(_ name: String) -> Bool { options?[name]?.bool == true }
    // As in the Web SDK: Firebase refuses fewer than six characters even when the policy has no minimum.
    minPasswordLength = options?["minPasswordLength"]?.wholeNumber ?? 6
    maxPasswordLength = options?["maxPasswordLength"]?.wholeNumber
    containsLowercaseLetter = needs("containsLowercaseCharacter")
    containsUppercaseLetter = needs("containsUppercaseCharacter")
    containsNumericCharacter = needs("containsNumericCharacter")
    containsNonAlphanumericCharacter = needs("containsNonAlphanumericCharacter")
    allowedNonAlphanumericCharacters =
      (answer["allowedNonAlphanumericCharacters"]?.array ?? []).compactMap(\.string)
    enforcementState = answer["enforcementState"]?.string == "ENFORCE" ? "ENFORCE" : "OFF"
    forceUpgradeOnSignin = answer["forceUpgradeOnSignin"]?.bool == true
  }
}

/// The result of checking a password against a policy; nil for what the policy does not require.
public struct PasswordValidation: Sendable, Equatable {
  /// Whether it meets the whole policy.
  public let isValid: Bool

  /// Whether it has the minimum length.
  public let meetsMinPasswordLength: Bool?

  /// Whether it does not exceed the maximum length.
  public let meetsMaxPasswordLength: Bool?

  /// Whether it has a lowercase letter.
  public let containsLowercaseLetter: Bool?

  /// Whether it has an uppercase letter.
  public let containsUppercaseLetter: Bool?

  /// Whether it has a digit.
  public let containsNumericCharacter: Bool?

  /// Whether it has one of the policy's non-alphanumeric characters.
  public let containsNonAlphanumericCharacter: Bool?

  /// The policy.
  public let policy: PasswordPolicy

  /// Lengths are in UTF-16 code units, as in the backend and the Web SDK.
  init(_ password: Secret, by policy: PasswordPolicy) {
    let text = password.reveal()
    let length = Int64(text.utf16.count)
    func has(_ isNeeded: Bool, _ bytes: ClosedRange<UInt8>) -> Bool? {
      isNeeded ? text.utf8.contains(where: bytes.contains) : nil
    }
    self.policy = policy
    meetsMinPasswordLength = policy.minPasswordLength.map { length >= $0 }
    meetsMaxPasswordLength = policy.maxPasswordLength.map { length <= $0 }
    containsLowercaseLetter = has(
      policy.containsLowercaseLetter, UInt8(ascii: "a")...UInt8(ascii: "z"))
    containsUppercaseLetter = has(
      policy.containsUppercaseLetter, UInt8(ascii: "A")...UInt8(ascii: "Z"))
    containsNumericCharacter = has(
      policy.containsNumericCharacter, UInt8(ascii: "0")...UInt8(ascii: "9"))
    let others = Set(policy.allowedNonAlphanumericCharacters.flatMap(\.unicodeScalars))
    containsNonAlphanumericCharacter =
      policy.containsNonAlphanumericCharacter
      ? text.unicodeScalars.contains(where: others.contains) : nil
    isValid = [
      meetsMinPasswordLength, meetsMaxPasswordLength, containsLowercaseLetter,
      containsUppercaseLetter, containsNumericCharacter, containsNonAlphanumericCharacter,
    ].allSatisfy { $0 != false }
  }
}

extension Auth {
  /// Validates a password locally against the current policy of the project or tenant.
  public func validatePassword(_ password: Secret) async throws(AuthError) -> PasswordValidation {
    let policy = try PasswordPolicy(await backend.get(.getPasswordPolicy, tenantID: tenantID))
    return PasswordValidation(password, by: policy)
  }
}
