internal import System

struct ProviderTokens: Sendable {
  var idToken: Secret?
  var accessToken: Secret?
  var refreshToken: Secret?
  /// Seconds until the access token expires.
  var expiresIn: Int64?
}
