import System
import IdentityToolkit

extension Auth {
  /// The ids of the providers that an e-mail address can sign in with.
  ///
  /// With e-mail enumeration protection the list is always empty: it does not mean that there is no account.
  public func fetchProviders(email: String) async throws(AuthError) -> [String] {
    try await ways(of: email, "allProviders")
  }

  /// The sign-in methods of an e-mail address, which distinguish password and e-mail link.
  ///
  /// With e-mail enumeration protection the list is always empty.
  public func fetchSignInMethods(email: String) async throws(AuthError) -> [String] {
    try await ways(of: email, "signinMethods")
  }

  private func ways(of email: String, _ member: String) async throws(AuthError) -> [String] {
    guard !email.isEmpty else { throw AuthError(.missingEmail) }
    let answer = try await backend.call(
      .createAuthUri, ["identifier": .string(email), "continueUri": "http://localhost"],
      tenantID: tenantID)
    return (answer[member]?.array ?? []).compactMap(\.string)
  }
}
