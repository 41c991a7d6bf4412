public import System

/// Sign-in with Google's tokens.
public enum GoogleAuthProvider {
  /// The provider's id.
  public static let id = "google.com"

  /// A credential from an ID token or an access token; at least one is required.
  public static func credential(
    idToken: Secret?, accessToken: Secret? = nil
  ) throws(AuthError) -> Credential {
    try OAuthProvider.credential(providerID: id, idToken: idToken, accessToken: accessToken)
  }
}
