public import System
import IdentityToolkit

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
          + "auth:checkActionCode tells what a code is for")
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
      text.isEmpty ? "the code is empty" : "a whole link was passed in place of the code in it",
      hint: "pass the code in the link of the e-mail: Auth.ActionCodeURL(link).code")
  }
}
