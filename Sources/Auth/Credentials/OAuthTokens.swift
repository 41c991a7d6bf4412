import Encoding

/// The tokens of an identity provider that a credential carries.
struct OAuthTokens: Sendable {
  var idToken: Secret?
  var accessToken: Secret?
  /// The token secret of OAuth 1.0a.
  var secret: Secret?
  var rawNonce: Secret?
  /// The backend's own handle of an identity-provider sign-in it has seen; good for one use.
  var pendingToken: Secret?
  /// The person's name, which Apple tells the app at the first sign-in and nobody ever again.
  var fullName: PersonName?
  /// The access token's lifetime in seconds.
  var expiresIn: Int64?
}
