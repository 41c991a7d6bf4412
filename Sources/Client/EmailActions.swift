import IdentityToolkit
public import System

extension Auth {
  /// The purpose of a code; the code stays unused.
  public func checkActionCode(_ code: Secret) async throws(AuthError) -> ActionCodeInfo {
    ActionCodeInfo(try await reset(code))
  }

  /// Applies a code that verifies, changes or restores an e-mail address.
  ///
  /// No user needs to be signed in. Users who are signed in see the change after a reload.
  public func applyActionCode(_ code: Secret) async throws(AuthError) {
    try Self.check(code)
    _ = try await backend.call(
      .update, ["oobCode": .string(code.reveal())], tenantID: tenantID)
  }

  /// Sends an e-mail with a link to set a new password.
  ///
  /// With e-mail enumeration protection this succeeds for unknown addresses too.
  public func sendPasswordReset(
    email: String, settings: ActionCodeSettings? = nil
  ) async throws(AuthError) {
    guard !email.isEmpty else { throw AuthError(.missingEmail) }
    var body = try settings.body(for: .passwordReset)
    body["email"] = .string(email)
    _ = try await backend.call(.sendOobCode, body, tenantID: tenantID)
  }

  /// The e-mail address of the account whose password the code can reset.
  public func verifyPasswordResetCode(_ code: Secret) async throws(AuthError) -> String {
    let info = try await checkActionCode(code)
    guard info.operation == .passwordReset, let email = info.email else {
      throw AuthError(
        .invalidActionCode, "the code is one for \(info.operation.rawValue), not for passwordReset",
        hint: "pass the code of the e-mail that auth:sendPasswordReset sent; "
          + "auth:checkActionCode returns what a code is for")
    }
    return email
  }

  /// Sets a new password with a code; all sessions of the account end.
  public func confirmPasswordReset(
    code: Secret, newPassword: Secret
  ) async throws(AuthError) {
    guard !newPassword.reveal().isEmpty else {
      throw AuthError(.weakPassword, "the new password is empty")
    }
    _ = try await reset(code, to: newPassword)
  }

  /// Without a password, only checks the code.
  private func reset(
    _ code: Secret, to newPassword: Secret? = nil
  ) async throws(AuthError) -> JSONObject {
    try Self.check(code)
    var body: JSONObject = ["oobCode": .string(code.reveal())]
    if let newPassword { body["newPassword"] = .string(newPassword.reveal()) }
    return try await backend.call(.resetPassword, body, tenantID: tenantID)
  }

  private static func check(_ code: Secret) throws(AuthError) {
    let text = code.reveal()
    guard text.isEmpty || ActionCodeURL(text) != nil else { return }
    throw AuthError(
      .invalidActionCode,
      text.isEmpty ? "the code is empty" : "the argument is a link, not the code in it",
      hint: "pass the code in the link of the e-mail: Auth.ActionCodeURL(link).code")
  }

  /// Sends an e-mail with a sign-in link.
  ///
  /// Signing in creates the account if there is none. The settings must have `handleCodeInApp`, because the project's
  /// page cannot complete a sign-in.
  public func sendSignInLink(
    email: String, settings: ActionCodeSettings
  ) async throws(AuthError) {
    guard !email.isEmpty else { throw AuthError(.missingEmail) }
    guard settings.handleCodeInApp else {
      throw AuthError(
        .invalidArgument, "a sign-in link must be handled in the app",
        hint: "set handleCodeInApp = true in the settings of auth:sendSignInLink")
    }
    var body = try settings.body(for: .emailLink)
    body["email"] = .string(email)
    _ = try await backend.call(.sendOobCode, body, tenantID: tenantID)
  }

  /// Whether a link is a sign-in link.
  public func isSignIn(withEmailLink link: String) -> Bool {
    ActionCodeURL(link)?.operation == .emailLink
  }

  /// Signs in with a link and the e-mail address it was sent to.
  @discardableResult
  public func signIn(email: String, link: String) async throws(AuthError) -> AuthResult {
    let credential = try EmailAuthProvider.credential(email: email, link: link)
    // The backend does not find another tenant's code, and its error would be misleading.
    if let tenant = ActionCodeURL(link)?.tenantID,
      tenantID.map({ ExactString($0) }) != ExactString(tenant)
    {
      throw AuthError(
        .tenantIDMismatch, "the link is one of the tenant \(Redaction().clean(tenant))",
        hint: "set auth.tenantID to the tenant that Auth.ActionCodeURL(link).tenantID names")
    }
    return try await signIn(with: credential)
  }
}

extension User {
  /// Sends an e-mail with a link that verifies the user's address.
  public func sendEmailVerification(
    settings: ActionCodeSettings? = nil
  ) async throws(AuthError) {
    let answer = try await call(.sendOobCode, settings.body(for: .verifyEmail))
    // The e-mail goes to the account's current address, which may have changed elsewhere.
    guard let sent = answer["email"]?.string,
      email.map({ ExactString($0) }) != ExactString(sent)
    else { return }
    try await reload()
  }

  /// Sends an e-mail to a new address, with a link that verifies the address and changes to it.
  ///
  /// The change ends the account's sessions. Needs a recent sign-in.
  public func sendEmailVerification(
    beforeUpdatingEmail newEmail: String, settings: ActionCodeSettings? = nil
  ) async throws(AuthError) {
    guard !newEmail.isEmpty else { throw AuthError(.missingEmail) }
    var body = try settings.body(for: .verifyAndChangeEmail)
    body["newEmail"] = .string(newEmail)
    // Not a call as this user: as in the SDKs, an error here leaves the user signed in.
    body["idToken"] = .string(try await getIDToken().reveal())
    do {
      _ = try await backend.call(.sendOobCode, body, tenantID: tenantID)
    } catch {
      throw error.code == .emailAlreadyInUse ? error.about(email: newEmail) : error
    }
  }
}
