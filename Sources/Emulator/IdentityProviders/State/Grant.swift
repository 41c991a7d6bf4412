internal import OIDC

/// A user's consent for an app, as represented by codes and tokens.
struct Grant: Sendable {
  let providerID: String
  let email: String
  let clientID: String
  var scopes: [String]
  let nonce: String?
  let signedInAt: Int64
  let wantsRefreshToken: Bool
  /// An id shared by all tokens from one consent, which are withdrawn together.
  let family = SecureRandom.token(bytes: 16)

  /// The consent that the user of a flow has just given.
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

/// An authorization code: valid once, for a minute, and for one client, redirect address and verifier.
struct AuthorizationCode: Sendable {
  let grant: Grant
  let redirectURI: String
  let challenge: String?
  let expiresAt: Int64
  var isUsed = false
}

struct AccessToken: Sendable {
  let grant: Grant
  let expiresAt: Int64
}

struct RefreshToken: Sendable {
  let grant: Grant
  /// Whether it was already exchanged; a second use means that it was stolen.
  var isUsed = false
}
