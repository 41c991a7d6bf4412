public import System

/// Sign-in with a GitHub access token.
public enum GitHubAuthProvider {
  /// The provider's id.
  public static let id = "github.com"

  /// A credential from an access token.
  public static func credential(token: Secret) throws(AuthError) -> Credential {
    try OAuthProvider.credential(providerID: id, idToken: nil, accessToken: token)
  }
}
