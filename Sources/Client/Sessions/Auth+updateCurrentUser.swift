import System
import HTTP
import IdentityToolkit

extension Auth {
  /// Makes a user the current one without a sign-in, such as a former current user.
  ///
  /// A user of another Auth is copied, with separate tokens. If that Auth has another API key or backend, this one's
  /// backend must confirm the user first.
  public func updateCurrentUser(_ user: User?) async throws(AuthError) {
    guard let user else { throw AuthError(.nullUser) }
    guard user.isOf(tenant: tenantID) else {
      throw AuthError(
        .tenantIDMismatch,
        "the user belongs to \(words(of: user.tenantID)), and this Auth to \(words(of: tenantID))")
    }
    guard user.auth !== self else { return makeCurrent(user) }
    // An emulator uses no TLS and stores what it receives, so it must not receive a real token.
    guard user.backend.client.target.isEmulated == target.isEmulated else {
      throw AuthError(
        .invalidUserToken,
        target.isEmulated
          ? "the user is one of a real project, and this Auth speaks to an emulator"
          : "the user is one of an emulator, and this Auth speaks to a real project",
        hint: "sign in with this Auth instead; nothing was sent")
    }
    let copy = try User(copying: user, into: self)
    if !user.backend.client.target.isSame(as: target) {
      // Not a call as this user: an error must not affect the current user.
      let account = try await backend.call(
        .lookup, ["idToken": .string(copy.session.idToken.reveal())], tenantID: tenantID
      ).account()
      guard let uid = account["localId"]?.string, copy.hasID(uid) else {
        throw AuthError(
          .internalError, "the backend answered with another account than the one asked for")
      }
      copy.apply(account)
    }
    makeCurrent(copy)
  }

  private func words(of tenantID: String?) -> String {
    tenantID.map { "the tenant \(Redaction().clean($0))" } ?? "no tenant"
  }
}

extension Target {
  /// Whether both have the same backend and API key.
  fileprivate func isSame(as other: Target) -> Bool {
    apiKey == other.apiKey && ExactString(projectID) == ExactString(other.projectID)
      && backend == other.backend
  }
}
