import System

/// The identity provider's tokens in a credential.
struct OAuthTokens: Sendable {
  var idToken: Secret?
  var accessToken: Secret?
  /// The token secret of OAuth 1.0a.
  var secret: Secret?
  var rawNonce: Secret?
  /// The backend's handle of an identity provider sign-in it has processed; valid once.
  var pendingToken: Secret?
  /// The user's name, which Apple sends to the app at the first sign-in only.
  var fullName: PersonName?
  /// The access token's lifetime in seconds.
  var expiresIn: Int64?
}
