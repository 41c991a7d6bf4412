public import Encoding

/// Sign-in with an access token of GitHub.
public enum GitHubAuthProvider {
  /// The provider's id.
  public static let id = "github.com"

  /// A credential of GitHub's access token.
  public static func credential(token: Secret) throws(AuthError) -> Credential {
    try OAuthProvider.credential(providerID: id, idToken: nil, accessToken: token)
  }
}
