import System
import IdentityToolkit

extension Auth {
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
