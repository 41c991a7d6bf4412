import Encoding
import IdentityToolkit

extension User {
  /// Sends a letter whose link verifies the user's address.
  public func sendEmailVerification(
    settings: ActionCodeSettings? = nil
  ) async throws(AuthError) {
    let answer = try await call(.sendOobCode, settings.body(for: .verifyEmail))
    // The letter goes to the address the account has now, which may have changed elsewhere.
    guard let sent = answer["email"]?.string,
      email.map({ ExactString($0) }) != ExactString(sent)
    else { return }
    try await reload()
  }

  /// Sends a letter to a new address, whose link verifies it and makes it the user's.
  ///
  /// The sessions of the account end with the change. Needs a recent sign-in.
  public func sendEmailVerification(
    beforeUpdatingEmail newEmail: String, settings: ActionCodeSettings? = nil
  ) async throws(AuthError) {
    guard !newEmail.isEmpty else { throw AuthError(.missingEmail) }
    var body = try settings.body(for: .verifyAndChangeEmail)
    body["newEmail"] = .string(newEmail)
    // Not a call as this user: as in the SDKs, a refusal here leaves the user signed in.
    body["idToken"] = .string(try await getIDToken().reveal())
    do {
      _ = try await backend.call(.sendOobCode, body, tenantID: tenantID)
    } catch {
      throw error.code == .emailAlreadyInUse ? error.about(email: newEmail) : error
    }
  }
}
