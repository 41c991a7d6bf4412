import System
import IdentityToolkit

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
