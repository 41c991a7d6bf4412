internal import Encoding

/// The tokens a provider issued for one sign-in.
struct ProviderTokens: Sendable {
  var idToken: Secret?
  var accessToken: Secret?
  var refreshToken: Secret?
  /// Seconds until the access token expires.
  var expiresIn: Int64?
}
