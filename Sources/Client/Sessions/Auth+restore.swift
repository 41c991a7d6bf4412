import System
import HTTP
import IdentityToolkit

extension Auth {
  /// Signs in with a saved session, after the backend has confirmed that it is valid.
  ///
  /// Sets this Auth's tenant to the session's, and keeps the store up to date. If the session was saved with another
  /// API key, its token is renewed with this one's key first. A failure does not affect the current user.
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
    // No token is valid for more than an hour: a later expiry comes from another clock.
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

  /// Renews the token if the saved one was revoked, or has expired by the backend's clock.
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
  /// Stores the session in `store` from now on; the store must have it already.
  public func keepSession(in store: any SessionStore) {
    self.store = store
    session.wasStored()
  }
}
