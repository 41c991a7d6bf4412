import Encoding
import IdentityToolkit

/// What a project asks of passwords.
public struct PasswordPolicy: Sendable, Equatable {
  /// The fewest characters.
  public let minPasswordLength: Int64?

  /// The most characters.
  public let maxPasswordLength: Int64?

  /// Whether a small letter is needed.
  public let containsLowercaseLetter: Bool

  /// Whether a capital letter is needed.
  public let containsUppercaseLetter: Bool

  /// Whether a digit is needed.
  public let containsNumericCharacter: Bool

  /// Whether one of the other characters is needed.
  public let containsNonAlphanumericCharacter: Bool

  /// The other characters.
  public let allowedNonAlphanumericCharacters: [String]

  /// `ENFORCE` where the backend refuses passwords that do not meet the policy, else `OFF`.
  public let enforcementState: String

  /// Whether a password of before must meet it at the next sign-in.
  public let forceUpgradeOnSignin: Bool

  /// The only shape of the backend's answer there is.
  private static let knownVersion: Int64 = 1

  init(_ answer: JSONObject) throws(AuthError) {
    guard let version = answer["schemaVersion"]?.wholeNumber, version == Self.knownVersion else {
      throw AuthError(.unsupportedPasswordPolicySchemaVersion)
    }
    let options = answer["customStrengthOptions"]
    func needs(_ name: String) -> Bool { options?[name]?.bool == true }
    // As in the Web SDK: Firebase refuses fewer than six characters whatever the policy leaves out.
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
