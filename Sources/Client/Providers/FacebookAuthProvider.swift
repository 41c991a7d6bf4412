public import System

/// Sign-in with a Facebook access token.
public enum FacebookAuthProvider {
  /// The provider's id.
  public static let id = "facebook.com"

  /// A credential from an access token.
  public static func credential(accessToken: Secret) throws(AuthError) -> Credential {
    try OAuthProvider.credential(providerID: id, idToken: nil, accessToken: accessToken)
  }
}
