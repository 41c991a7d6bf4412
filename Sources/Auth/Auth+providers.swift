import Encoding
import IdentityToolkit

extension Auth {
  /// The ids of the providers an e-mail address can sign in with.
  ///
  /// Empty too where the project protects against e-mail enumeration: no providers does not mean
  /// no account.
  public func fetchProviders(email: String) async throws(AuthError) -> [String] {
    try await ways(of: email, "allProviders")
  }

  /// The ways an e-mail address can sign in, which tell a password from an e-mail link.
  ///
  /// Empty too where the project protects against e-mail enumeration.
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
