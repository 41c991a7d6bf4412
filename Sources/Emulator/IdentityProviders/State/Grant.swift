/// What a person allowed an app, as codes and tokens stand for it.
struct Grant: Sendable {
  let providerID: String
  let email: String
  let clientID: String
  var scopes: [String]
  let nonce: String?
  let signedInAt: Int64
  let wantsRefreshToken: Bool
}

/// An authorization code: good once, for a minute, for one client, redirect address and verifier.
struct AuthorizationCode: Sendable {
  let grant: Grant
  let redirectURI: String
  let challenge: String?
  let expiresAt: Int64
  var isUsed = false
  /// What it was exchanged for, to be withdrawn should it come a second time.
  var tokens: [String] = []
}

/// An access token's meaning.
struct AccessToken: Sendable {
  let grant: Grant
  let expiresAt: Int64
}
