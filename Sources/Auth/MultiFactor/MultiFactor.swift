import Encoding
import IdentityToolkit

/// The second factors of a user.
public struct MultiFactor {
  /// The user whose factors they are.
  public let user: User

  /// What to ask for a code or a secret with, to enrol a factor.
  public func session() async throws(AuthError) -> MultiFactorSession {
    // Whoever is not signed in any more learns it now, and not when the code has come.
    _ = try await user.getIDToken()
    return MultiFactorSession(enrolling: user)
  }

  /// Adds a factor, which every later sign-in asks for; needs a verified address and a recent
  /// sign-in.
  ///
  /// The user's tokens are replaced by ones that say which factor was proved.
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

  /// Takes a factor away; needs a recent sign-in.
  public func unenroll(factorUID: String) async throws(AuthError) {
    guard !factorUID.isEmpty else { throw AuthError(.missingMultiFactorInfo) }
    let answer = try await user.call(
      .withdrawMfaEnrollment, ["mfaEnrollmentId": .string(factorUID)])
    try await user.adoptTokens(of: answer)
  }
}

extension User {
  /// The second factors, and what changes them.
  public var multiFactor: MultiFactor { MultiFactor(user: self) }
}
