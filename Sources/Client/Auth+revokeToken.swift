public import System
import IdentityToolkit

extension Auth {
  /// Revokes the tokens that Apple issued for an authorization code of the current user.
  ///
  /// Apple requires this of apps before they delete an account.
  public func revokeToken(authorizationCode: Secret) async throws(AuthError) {
    guard let user = currentUser else { throw AuthError(.nullUser) }
    guard !authorizationCode.reveal().isEmpty else {
      throw AuthError(
        .invalidArgument, "the authorization code is empty",
        hint: "pass the code that Apple gave with the newest sign-in")
    }
    _ = try await backend.call(
      .revokeToken,
      [
        "providerId": "apple.com",
        // The enum value of CODE as a string, as the Apple SDK sends it.
        "tokenType": "3", "token": .string(authorizationCode.reveal()),
        "idToken": .string(try await user.getIDToken().reveal()),
      ], tenantID: tenantID)
  }
}
