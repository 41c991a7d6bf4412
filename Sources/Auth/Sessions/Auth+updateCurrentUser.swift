import Encoding
import HTTP
import IdentityToolkit

extension Auth {
  /// Makes a user the current one without a sign-in, such as one who was current before.
  ///
  /// A user of another Auth becomes one of this Auth too, with tokens of its own. Where that Auth
  /// has another key or backend, this one's backend is asked first whether it knows the user.
  public func updateCurrentUser(_ user: User?) async throws(AuthError) {
    guard let user else { throw AuthError(.nullUser) }
    guard user.isOf(tenant: tenantID) else {
      throw AuthError(
        .tenantIDMismatch,
        "the user belongs to \(words(of: user.tenantID)), and this Auth to \(words(of: tenantID))")
    }
    guard user.auth !== self else { return makeCurrent(user) }
    // An emulator is spoken to without TLS, and keeps what it hears: no place for a real token.
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
      // Asked for the copy and not by it: a refusal says nothing about who is current here.
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
  /// Whether both speak to the same backend with the same key.
  fileprivate func isSame(as other: Target) -> Bool {
    apiKey == other.apiKey && ExactString(projectID) == ExactString(other.projectID)
      && backend == other.backend
  }
}
