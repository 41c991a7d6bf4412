public import Encoding

/// Sign-in with tokens of Google.
public enum GoogleAuthProvider {
  /// The provider's id.
  public static let id = "google.com"

  /// A credential of Google's ID token or access token, at least one of them.
  public static func credential(
    idToken: Secret?, accessToken: Secret? = nil
  ) throws(AuthError) -> Credential {
    try OAuthProvider.credential(providerID: id, idToken: idToken, accessToken: accessToken)
  }
}
