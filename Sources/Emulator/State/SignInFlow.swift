internal import HTTP
internal import OIDC

/// A redirect sign-in between `createAuthUri` and `signInWithIdp`.
struct SignInFlow: Sendable {
  /// How long a person may take at the provider's pages, in seconds.
  static let lifetime: Int64 = 3600

  let sessionID: String
  let providerID: String
  /// The Azure tenant, for Microsoft.
  let tenant: String?
  let continueURI: WebURL
  /// The redirect URI as it was sent, byte for byte.
  let redirectURI: String
  let state: String
  /// What the ID token must carry; nil where the SDK's credential cannot carry the raw nonce back.
  let nonce: String?
  let pkce: PKCE
  let context: String?
  /// Seconds since 1970.
  let startedAt: Int64
}
