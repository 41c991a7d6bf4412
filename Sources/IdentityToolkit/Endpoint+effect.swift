import System

extension Endpoint {
  /// The effect of a call on the project.
  enum Effect: Sendable, Equatable {
    /// It does not change the project.
    case reads
    /// It does not change the project unless the body has one of these fields.
    case readsWithout(Set<String>)
    /// It creates, changes or deletes something, sends an e-mail or an SMS, or uses up a code.
    case changes
  }

  /// The effect of a call on the project.
  ///
  /// A sign-in changes the project, because it stores the time of the sign-in and may create an account.
  var effect: Effect {
    switch self {
    case .getProjectConfig, .getRecaptchaParam, .getRecaptchaConfig, .getPasswordPolicy, .lookup,
      .token, .createAuthUri:
      .reads
    // Without a password it only checks the code. Google's servers accept both spellings.
    case .resetPassword: .readsWithout(["newPassword", "new_password"])
    case .signInWithIdp, .signUp, .signInWithPassword, .signInWithEmailLink,
      .signInWithCustomToken, .update, .delete, .sendOobCode, .sendVerificationCode,
      .signInWithPhoneNumber, .verifyIosClient, .signInWithGameCenter, .revokeToken,
      .startMfaEnrollment, .finalizeMfaEnrollment, .withdrawMfaEnrollment, .startMfaSignIn,
      .finalizeMfaSignIn:
      .changes
    }
  }

  /// Whether a call with this body may be sent twice without harm.
  ///
  /// Only reading and renewing may. A second sign-up would create another account, a second sign-in
  /// would use up a credential or a password attempt, a second e-mail would reach the user.
  func isRepeatable(_ body: JSONObject) -> Bool {
    // With a provider it begins a sign-in.
    if self == .createAuthUri { return body["providerId"] == nil }
    return switch effect {
    case .reads: true
    case .readsWithout(let fields): fields.allSatisfy { body[$0] == nil }
    case .changes: false
    }
  }

  /// Finds an endpoint by the last segment of its path, or by its legacy verb.
  init?(lastSegment name: String) {
    guard
      let endpoint = Self.allCases.first(where: {
        $0.path.split(separator: "/").last == name[...] || $0.legacyVerb == name
      })
    else { return nil }
    self = endpoint
  }
}
