import System

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
