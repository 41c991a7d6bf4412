public import System
import IdentityToolkit

/// Creates secrets and assertions for authenticator apps.
public enum TOTPMultiFactorGenerator {
  /// The kind of factor.
  static let factorID = "totp"

  /// Requests a secret for an authenticator app of the session's user.
  public static func generateSecret(
    with session: MultiFactorSession
  ) async throws(AuthError) -> TOTPSecret {
    let user = try session.enrollingUser()
    let answer: JSONObject
    do {
      answer = try await session.call(.startMfaEnrollment, ["totpEnrollmentInfo": [:]])
    } catch {
      // Firebase's emulator treats every factor as a phone.
      guard error.message.contains("phoneEnrollmentInfo") else { throw error }
      throw await session.backend.explain(
        AuthError(
          .notImplemented, "the rules of this emulator leave out authenticator apps (TOTP)",
          hint: "start it with luath emulator --rules production, or add +totp to its rules",
          serverName: error.serverName), needing: .authenticatorApps)
    }
    guard let info = answer["totpSessionInfo"]?.object, let secret = TOTPSecret(info, of: user)
    else {
      throw AuthError(
        .internalError, "the backend gave no secret for an authenticator app",
        hint: "check that the target is an Identity Toolkit backend that knows authenticator apps")
    }
    return secret
  }

  /// The assertion that enrolls the app with this secret, by a code that it showed.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword code: Secret
  ) throws(AuthError) -> MultiFactorAssertion {
    try check(code)
    return MultiFactorAssertion(.newApp(sessionInfo: secret.sessionInfo, code: code))
  }

  /// The assertion that finishes a sign-in, by a code of the app with this enrollment id.
  public static func assertionForSignIn(
    withEnrollmentID uid: String, oneTimePassword code: Secret
  ) throws(AuthError) -> MultiFactorAssertion {
    guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo) }
    try check(code)
    return MultiFactorAssertion(.app(factorUID: uid, code: code))
  }

  private static func check(_ code: Secret) throws(AuthError) {
    guard !code.reveal().isEmpty else {
      throw AuthError(
        .missingVerificationCode, "the code of the authenticator app is empty",
        hint: "pass the code the app shows, or totp.code(secret)")
    }
  }
}
