import IdentityToolkit

/// Creates assertions for phones.
public enum PhoneMultiFactorGenerator {
  /// The kind of factor.
  static let factorID = "phone"

  /// The assertion for an SMS code.
  public static func assertion(
    with credential: Credential
  ) throws(AuthError) -> MultiFactorAssertion {
    guard case .phone(let verificationID, let code) = credential.content else {
      throw AuthError(
        .rejectedCredential, "a \(credential.providerID) credential proves no second factor",
        hint: "make one with PhoneAuthProvider.credential(verificationID, code)")
    }
    try PhoneAuthProvider.check(verificationID: verificationID, code: code)
    return MultiFactorAssertion(.phone(verificationID: verificationID, code: code))
  }
}
