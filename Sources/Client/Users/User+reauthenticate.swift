import System
import IdentityToolkit

extension User {
  /// Reauthenticates the user.
  ///
  /// The new tokens count as a recent sign-in. A credential of another user is refused, without changes to this one.
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

  /// Adopts the tokens of a sign-in, if it is this user's.
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

  /// The error of a failed sign-in, adapted to reauthentication.
  private func failure(_ error: AuthError, of credential: Credential) -> AuthError {
    // An identity without an account is not this user's.
    if error.code == .userNotFound {
      return AuthError(.userMismatch, serverName: error.serverName)
    }
    // Do not ask for the second factor of another account.
    if let uid = error.awaitedFactor?.userID, !hasID(uid) { return AuthError(.userMismatch) }
    return error.resolvable {
      MultiFactorResolver($0, auth: auth, over: backend, tenantID: tenantID) {
        answer throws(AuthError) in try await self.finish(answer, credential)
      }
    }
  }

  /// The error for another user's credential.
  ///
  /// Some emulators ignore `autoCreate` and create an account for an unknown identity. That is reported, because
  /// nobody would look for that account.
  private func mismatch(_ answer: SignInAnswer) -> AuthError {
    guard answer.isNewUser, let uid = answer.userID else { return AuthError(.userMismatch) }
    return AuthError(
      .userMismatch,
      "\(ErrorCode.userMismatch.summary), and the backend made a stray account \(uid) for it",
      hint: "delete the stray account, then reauthenticate with a credential of the current user",
      details: ["strayAccount": .string(uid)])
  }
}
