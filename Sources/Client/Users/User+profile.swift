public import System
import IdentityToolkit

extension User {
  /// Changes the display name and the photo URL.
  public func updateProfile(
    displayName: ProfileChange = .keep, photoURL: ProfileChange = .keep
  ) async throws(AuthError) {
    var body: JSONObject = ["returnSecureToken": true]
    var deleted: [JSON] = []
    // The backend stores an empty value as an empty string; deleting the attribute removes it.
    for (change, field, attribute) in [
      (displayName, "displayName", "DISPLAY_NAME"), (photoURL, "photoUrl", "PHOTO_URL"),
    ] {
      switch change {
      case .keep: break
      case .clear, .set(""): deleted.append(.string(attribute))
      case .set(let value): body[field] = .string(value)
      }
    }
    if !deleted.isEmpty { body["deleteAttribute"] = .array(deleted) }
    guard body.count > 1 else { return }
    try await update(body)
  }

  /// Changes the e-mail address; needs a recent sign-in.
  ///
  /// Refused with e-mail enumeration protection: the new address must be verified first.
  public func updateEmail(_ email: String) async throws(AuthError) {
    guard !email.isEmpty else { throw AuthError(.missingEmail) }
    do {
      try await update(["email": .string(email), "returnSecureToken": true])
    } catch {
      throw error.code == .emailAlreadyInUse ? error.about(email: email) : error
    }
  }

  /// Changes or sets the password, which ends all other sessions; needs a recent sign-in.
  public func updatePassword(_ password: Secret) async throws(AuthError) {
    guard !password.reveal().isEmpty else {
      throw AuthError(.weakPassword, "the new password is empty")
    }
    try await update(["password": .string(password.reveal()), "returnSecureToken": true])
  }

  /// Deletes the account and signs the user out; needs a recent sign-in.
  public func delete() async throws(AuthError) {
    let idToken = try await getIDToken()
    // Not a call as this user: an error leaves the user signed in, to reauthenticate.
    _ = try await backend.call(
      .delete, ["idToken": .string(idToken.reveal()), "localId": .string(uid)], tenantID: tenantID)
    auth?.forget(uid)
  }

  private func update(_ body: JSONObject) async throws(AuthError) {
    let answer = try await call(.update, body)
    // A change that revokes the old tokens returns new ones.
    try await adoptTokens(of: answer)
  }
}
