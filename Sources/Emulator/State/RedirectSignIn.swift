internal import HTTP
internal import OIDC

/// A redirect sign-in between `createAuthUri` and `signInWithIdp`.
struct RedirectSignIn: Sendable {
  /// How long the user may take on the provider's pages, in seconds.
  static let lifetime: Int64 = 3600

  let sessionID: String
  let providerID: String
  /// The Azure tenant, for Microsoft.
  let tenant: String?
  let continueURI: WebURL
  /// The redirect URI as it was sent, byte for byte.
  let redirectURI: String
  let state: String
  /// The nonce the ID token must have; nil where the SDK's credential cannot return the raw nonce.
  let nonce: String?
  let pkce: PKCE
  let context: String?
  /// Seconds since 1970.
  let startedAt: Int64
}
