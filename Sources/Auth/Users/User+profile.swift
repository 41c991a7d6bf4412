public import Encoding
import IdentityToolkit

extension User {
  /// Changes the name to show and the address of the picture.
  public func updateProfile(
    displayName: ProfileChange = .keep, photoURL: ProfileChange = .keep
  ) async throws(AuthError) {
    var body: JSONObject = ["returnSecureToken": true]
    var deleted: [JSON] = []
    // The backend keeps an empty value as an empty text; deleting the attribute clears it.
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
  /// Refused where the project protects against e-mail enumeration: there the new address must be
  /// verified first.
  public func updateEmail(_ email: String) async throws(AuthError) {
    guard !email.isEmpty else { throw AuthError(.missingEmail) }
    do {
      try await update(["email": .string(email), "returnSecureToken": true])
    } catch {
      throw error.code == .emailAlreadyInUse ? error.about(email: email) : error
    }
  }

  /// Changes the password, or gives the account one; needs a recent sign-in.
  ///
  /// Every other session of this account ends.
  public func updatePassword(_ password: Secret) async throws(AuthError) {
    guard !password.reveal().isEmpty else {
      throw AuthError(.weakPassword, "the new password is empty")
    }
    try await update(["password": .string(password.reveal()), "returnSecureToken": true])
  }

  /// Deletes the account and signs the user out; needs a recent sign-in.
  public func delete() async throws(AuthError) {
    let idToken = try await getIDToken()
    // Not a call as this user: a refusal here leaves the user signed in, to reauthenticate.
    _ = try await backend.call(
      .delete, ["idToken": .string(idToken.reveal()), "localId": .string(uid)], tenantID: tenantID)
    auth?.forget(uid)
  }

  private func update(_ body: JSONObject) async throws(AuthError) {
    let answer = try await call(.update, body)
    // A change that ends the old tokens brings new ones.
    try await adoptTokens(of: answer)
  }
}
