public import Encoding
import IdentityToolkit

extension OAuthProvider {
  /// A credential from tokens that the caller obtained from the provider itself.
  ///
  /// The nonce is the raw one; its SHA-256 is what the provider was sent. Without a nonce in the ID
  /// token there is none to pass.
  public static func credential(
    providerID: String, idToken: Secret?, rawNonce: Secret? = nil, accessToken: Secret? = nil
  ) throws(AuthError) -> Credential {
    try ProviderID.check(providerID)
    let tokens = OAuthTokens(
      idToken: idToken.nonEmpty, accessToken: accessToken.nonEmpty, rawNonce: rawNonce.nonEmpty)
    guard tokens.idToken != nil || tokens.accessToken != nil else {
      throw AuthError(
        .invalidCredential, "the credential of \(providerID) has no token",
        hint: "pass the provider's ID token, or its access token, as a non-empty string")
    }
    return Credential(providerID: providerID, content: .tokens(tokens))
  }
}

extension Optional where Wrapped == Secret {
  /// Nil for an empty secret as well.
  var nonEmpty: Secret? { self.flatMap { $0.reveal().isEmpty ? nil : $0 } }
}
