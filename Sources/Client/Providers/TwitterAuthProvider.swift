public import System
import IdentityToolkit

/// Sign-in with a Twitter token (OAuth 1.0a).
public enum TwitterAuthProvider {
  /// The provider's id.
  public static let id = "twitter.com"

  /// A credential from a token and its secret.
  public static func credential(
    token: Secret, secret: Secret
  ) throws(AuthError) -> Credential {
    guard !token.reveal().isEmpty, !secret.reveal().isEmpty else {
      throw AuthError(
        .invalidCredential, "a credential of \(id) needs both the token and its secret",
        hint: "pass the access token and the token secret of Twitter's answer")
    }
    return Credential(
      providerID: id, content: .tokens(OAuthTokens(accessToken: token, secret: secret)))
  }
}
