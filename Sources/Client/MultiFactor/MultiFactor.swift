import System
import IdentityToolkit

/// The second factors of a user.
public struct MultiFactor {
  /// The user of the factors.
  let user: User

  /// A session for enrolling a factor.
  public func session() async throws(AuthError) -> MultiFactorSession {
    // Report an ended session now, not after the code has been sent.
    _ = try await user.getIDToken()
    return MultiFactorSession(enrolling: user)
  }

  /// Enrolls a factor; needs a verified e-mail address and a recent sign-in.
  ///
  /// Every later sign-in then needs it. The user gets new tokens that name the factor.
  public func enroll(
    with assertion: MultiFactorAssertion, displayName: String? = nil
  ) async throws(AuthError) {
    if case .app = assertion.content {
      throw AuthError(
        .rejectedCredential, "an assertion for signing in cannot enrol an app",
        hint: "make one with TOTPMultiFactorGenerator.assertionForEnrollment(secret, code)")
    }
    var body = assertion.proof
    if let displayName { body["displayName"] = .string(displayName) }
    let answer: JSONObject
    do {
      answer = try await user.call(.finalizeMfaEnrollment, body)
    } catch {
      throw assertion.advising(error)
    }
    try await user.adoptTokens(of: answer)
  }

  /// Withdraws a factor; needs a recent sign-in.
  public func unenroll(factorUID: String) async throws(AuthError) {
    guard !factorUID.isEmpty else { throw AuthError(.missingMultiFactorInfo) }
    let answer = try await user.call(
      .withdrawMfaEnrollment, ["mfaEnrollmentId": .string(factorUID)])
    try await user.adoptTokens(of: answer)
  }
}

extension User {
  /// The user's second factors.
  public var multiFactor: MultiFactor { MultiFactor(user: self) }
}
