public import Encoding

/// Sign-in with an access token of Facebook.
public enum FacebookAuthProvider {
  /// The provider's id.
  public static let id = "facebook.com"

  /// A credential of Facebook's access token.
  public static func credential(accessToken: Secret) throws(AuthError) -> Credential {
    try OAuthProvider.credential(providerID: id, idToken: nil, accessToken: accessToken)
  }
}
