public import System
import IdentityToolkit

extension OAuthProvider {
  /// A credential from tokens that the caller obtained from the provider.
  ///
  /// `rawNonce` is the nonce whose SHA-256 was sent to the provider. If the ID token has no nonce, pass none.
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

  /// A credential for Sign in with Apple.
  ///
  /// Apple sends the name once, when the user first uses the app, and includes it in no token.
  public static func appleCredential(
    idToken: Secret, rawNonce: Secret?, fullName: PersonName? = nil
  ) throws(AuthError) -> Credential {
    guard let idToken = Optional(idToken).nonEmpty else {
      throw AuthError(
        .invalidCredential, "the credential of apple.com has no token",
        hint: "pass the identity token of Apple's answer as a non-empty string")
    }
    return Credential(
      providerID: "apple.com",
      content: .tokens(
        OAuthTokens(idToken: idToken, rawNonce: rawNonce.nonEmpty, fullName: fullName)))
  }
}

extension Optional where Wrapped == Secret {
  /// Nil for an empty secret too.
  var nonEmpty: Secret? { self.flatMap { $0.reveal().isEmpty ? nil : $0 } }
}
