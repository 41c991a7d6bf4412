public import Encoding

/// Sign-in with a token of Twitter, which speaks OAuth 1.0a.
public enum TwitterAuthProvider {
  /// The provider's id.
  public static let id = "twitter.com"

  /// A credential of Twitter's token and its secret.
  public static func credential(token: Secret, secret: Secret) -> Credential {
    Credential(
      providerID: id, content: .tokens(OAuthTokens(accessToken: token, secret: secret)))
  }
}
