public import Encoding

extension Endpoint {
  /// Whether a call with this body may be carried out twice without harm.
  ///
  /// Only reading and renewing is. A second sign-up would make another account, a second sign-in would
  /// spend a credential or a try of the password, a second mail would reach a person.
  public func isRepeatable(_ body: JSONObject) -> Bool {
    switch self {
    case .getProjectConfig, .getRecaptchaParam, .getRecaptchaConfig, .getPasswordPolicy, .lookup,
      .token:
      true
    // With a provider it begins a sign-in.
    case .createAuthUri: body["providerId"] == nil
    // Without a password it only looks at the code.
    case .resetPassword: body["newPassword"] == nil
    case .signInWithIdp, .signUp, .signInWithPassword, .signInWithEmailLink,
      .signInWithCustomToken, .update, .delete, .sendOobCode, .sendVerificationCode,
      .signInWithPhoneNumber, .verifyIosClient, .signInWithGameCenter, .revokeToken,
      .startMfaEnrollment, .finalizeMfaEnrollment, .withdrawMfaEnrollment, .startMfaSignIn,
      .finalizeMfaSignIn:
      false
    }
  }
}
