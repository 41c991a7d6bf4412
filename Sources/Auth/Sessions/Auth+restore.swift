import Encoding
import HTTP
import IdentityToolkit

extension Auth {
  /// Signs in with a session that was kept, once the backend has said that it is still good.
  ///
  /// This Auth then is of the session's tenant, and the store is kept up to date. A session saved with
  /// another API key must first renew its token with this one's. When it fails, nobody else is
  /// signed in or out for it.
  @discardableResult
  public func restore(
    _ saved: SavedSession, keyFingerprint: String, store: any SessionStore
  ) async throws(AuthError) -> User {
    guard saved.isGood(at: target) else {
      throw AuthError(
        .keychainError,
        "the session belongs to \(words(saved.projectID, saved.isEmulated)), and not to "
          + words(target.projectID, target.isEmulated),
        hint: "choose the target it was saved for, or sign in to this one and save that")
    }
    var known: JSONObject = ["localId": .string(saved.uid)]
    if let email = saved.email { known["email"] = .string(email) }
    let user = try User(
      session: Session(saved.tokens), account: known, isAnonymous: saved.isAnonymous,
      tenantID: saved.tenantID, backend: backend)
    user.store = store
    // No token lives longer than an hour: what claims to was saved by another clock.
    let isOdd = saved.tokens.expiresAt - backend.clock.now > 3600
    if isOdd || saved.keyFingerprint != keyFingerprint {
      _ = try await user.getIDToken(forcingRefresh: true)
      try await user.reload()
    } else {
      try await reloadWithSavedToken(user)
    }
    tenantID = saved.tenantID
    user.auth = self
    makeCurrent(user)
    return user
  }

  /// The ID token may have been revoked, or have ended by the backend's clock, while the refresh token is good.
  private func reloadWithSavedToken(_ user: User) async throws(AuthError) {
    let refusal: AuthError
    do {
      return try await user.reload()
    } catch {
      refusal = error
    }
    guard refusal.code == .userTokenExpired || refusal.code == .invalidUserToken else {
      throw refusal
    }
    _ = try await user.getIDToken(forcingRefresh: true)
    try await user.reload()
  }

  private func words(_ projectID: String, _ isEmulated: Bool) -> String {
    (isEmulated ? "the emulated project " : "the project ") + Redaction().clean(projectID)
  }
}

extension User {
  /// Keeps the session in a store from now on, which already holds it.
  public func keepSession(in store: any SessionStore) {
    self.store = store
    session.wasStored()
  }
}
