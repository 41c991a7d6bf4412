import System
import IdentityToolkit

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
