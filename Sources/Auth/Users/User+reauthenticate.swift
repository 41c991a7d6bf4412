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
      throw failure(error, of: credential)
    }
    return try await finish(answer, credential)
  }

  /// Takes over the tokens of a sign-in, if it is this user's.
  private func finish(
    _ answer: SignInAnswer, _ credential: Credential
  ) async throws(AuthError) -> AuthResult {
    guard let uid = answer.userID, ExactString(uid) == ExactString(self.uid) else {
      throw mismatch(answer)
    }
    session.adopt(try Session(answer.response, now: backend.clock.now))
    defer { auth?.tokensChanged(of: self) }
    try await session.keep(of: self)
    return credential.result(self, answer)
  }

  /// What a refused sign-in means for whoever is signed in already.
  private func failure(_ error: AuthError, of credential: Credential) -> AuthError {
    // An identity that has no account is certainly not this one's.
    if error.code == .userNotFound {
      return AuthError(.userMismatch, serverName: error.serverName)
    }
    // Nobody is asked for the second factor of a stranger.
    if let uid = error.awaitedFactor?.userID, !hasID(uid) { return AuthError(.userMismatch) }
    return error.resolvable {
      MultiFactorResolver($0, auth: auth, over: backend, tenantID: tenantID) {
        answer throws(AuthError) in try await self.finish(answer, credential)
      }
    }
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
