internal import OIDC

/// What a person allowed an app, as codes and tokens stand for it.
struct Grant: Sendable {
  let providerID: String
  let email: String
  let clientID: String
  var scopes: [String]
  let nonce: String?
  let signedInAt: Int64
  let wantsRefreshToken: Bool
  /// What all tokens that come of one consent have in common, to be withdrawn together.
  let family = SecureRandom.token(bytes: 16)

  /// What the person of a flow has just consented to.
  init(_ flow: PageFlow) {
    let request = flow.request
    providerID = request.provider.id
    email = flow.email ?? ""
    clientID = request.clientID
    scopes = request.scopes
    nonce = request.nonce
    signedInAt = flow.signedInAt
    wantsRefreshToken = request.wantsRefreshToken
  }
}

/// An authorization code: good once, for a minute, for one client, redirect address and verifier.
struct AuthorizationCode: Sendable {
  let grant: Grant
  let redirectURI: String
  let challenge: String?
  let expiresAt: Int64
  var isUsed = false
}

/// An access token's meaning.
struct AccessToken: Sendable {
  let grant: Grant
  let expiresAt: Int64
}

/// A refresh token's meaning.
struct RefreshToken: Sendable {
  let grant: Grant
  /// Whether a successor was given for it: whoever comes with it then got it by theft, or was robbed.
  var isUsed = false
}
