import Encoding
import IdentityToolkit

extension Auth {
  /// Sends a letter whose link signs in whoever reads it, and makes the account if there is none.
  ///
  /// The settings must say that the code is handled in the app, since the project's page cannot
  /// sign anybody in.
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

  /// Whether a link is one to sign in with.
  public func isSignIn(withEmailLink link: String) -> Bool {
    ActionCodeURL(link)?.operation == .emailLink
  }

  /// Signs in with the link that was sent to an address.
  @discardableResult
  public func signIn(email: String, link: String) async throws(AuthError) -> AuthResult {
    let credential = try EmailAuthProvider.credential(email: email, link: link)
    // A code of one tenant is unknown to all others, which would be said in words that mislead.
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
