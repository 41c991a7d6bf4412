import IdentityToolkit

/// Makes assertions of telephones.
public enum PhoneMultiFactorGenerator {
  /// The kind of factor.
  public static let factorID = "phone"

  /// The assertion of a code that a message brought.
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
