import Encoding
import IdentityToolkit

extension User {
  /// Proves again who this user is, which gives tokens that count as a recent sign-in.
  ///
  /// A credential of anyone else is refused, and then nothing of this user has changed.
  @discardableResult
  public func reauthenticate(with credential: Credential) async throws(AuthError) -> AuthResult {
    try credential.checkUsable(by: backend)
    let answer: SignInAnswer
    do {
      answer = try await credential.signIn(
        over: backend, tenantID: tenantID, autoCreate: false)
    } catch {
      // An identity that has no account is certainly not this one's.
      guard error.code == .userNotFound else { throw error }
      throw AuthError(.userMismatch, serverName: error.serverName)
    }
    guard let uid = answer.userID, ExactString(uid) == ExactString(self.uid) else {
      throw mismatch(answer)
    }
    session.adopt(try Session(answer.response, now: backend.clock.now))
    return credential.result(self, answer)
  }

  /// Emulators that ignore `autoCreate` make an account for an unknown identity: that is reported,
  /// since nobody would look for it.
  private func mismatch(_ answer: SignInAnswer) -> AuthError {
    guard answer.isNewUser, let uid = answer.userID else { return AuthError(.userMismatch) }
    return AuthError(
      .userMismatch,
      "\(ErrorCode.userMismatch.summary), and the backend made a stray account \(uid) for it",
      hint: "delete the stray account, then reauthenticate with a credential of the current user",
      details: ["strayAccount": .string(uid)])
  }
}
