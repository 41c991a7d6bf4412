public import Encoding

extension Endpoint {
  /// What a call does to the project.
  public enum Effect: Sendable, Equatable {
    /// It leaves the project as it is.
    case reads
    /// It leaves the project as it is unless the body has one of these fields.
    case readsWithout(Set<String>)
    /// It makes, changes or deletes something, sends an e-mail or an SMS, or uses a code up.
    case changes
  }

  /// What a call does to the project; a sign-in changes it, as it writes the time of the sign-in and may
  /// make an account.
  public var effect: Effect {
    switch self {
    case .getProjectConfig, .getRecaptchaParam, .getRecaptchaConfig, .getPasswordPolicy, .lookup,
      .token, .createAuthUri:
      .reads
    // Without a password it only looks at the code. Google's servers take both spellings.
    case .resetPassword: .readsWithout(["newPassword", "new_password"])
    case .signInWithIdp, .signUp, .signInWithPassword, .signInWithEmailLink,
      .signInWithCustomToken, .update, .delete, .sendOobCode, .sendVerificationCode,
      .signInWithPhoneNumber, .verifyIosClient, .signInWithGameCenter, .revokeToken,
      .startMfaEnrollment, .finalizeMfaEnrollment, .withdrawMfaEnrollment, .startMfaSignIn,
      .finalizeMfaSignIn:
      .changes
    }
  }

  /// Whether a call with this body may be carried out twice without harm.
  ///
  /// Only reading and renewing is. A second sign-up would make another account, a second sign-in would
  /// spend a credential or a try of the password, a second mail would reach a person.
  public func isRepeatable(_ body: JSONObject) -> Bool {
    // With a provider it begins a sign-in.
    if self == .createAuthUri { return body["providerId"] == nil }
    return switch effect {
    case .reads: true
    case .readsWithout(let fields): fields.allSatisfy { body[$0] == nil }
    case .changes: false
    }
  }

  /// The endpoint whose path ends so, here or in the older interface.
  init?(lastSegment name: String) {
    guard
      let endpoint = Self.allCases.first(where: {
        $0.path.split(separator: "/").last == name[...] || $0.legacyVerb == name
      })
    else { return nil }
    self = endpoint
  }
}
