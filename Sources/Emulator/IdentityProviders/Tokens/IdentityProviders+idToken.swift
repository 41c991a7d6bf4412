internal import System
internal import OIDC

extension IdentityProviders {
  /// A signed ID token (OpenID Connect Core 1.0, sections 2, 3.1.3.6 and 3.3.2.11).
  func idToken(
    for person: Person, grant: Grant, provider: IdentityProvider, code: String?,
    accessToken: String?
  ) throws(JOSEError) -> String {
    let now = context.clock.seconds
    var claims = ProviderClaims(
      person: person, provider: provider, clientID: grant.clientID, scopes: grant.scopes
    ).claims
    claims["iss"] = .string(
      provider.issuer(origin: context.origin, tenantID: person.microsoft.tenantID))
    claims["aud"] = .string(grant.clientID)
    claims["iat"] = .integer(now)
    if provider.kind == .microsoft { claims["nbf"] = .integer(now) }
    if provider.kind == .google { claims["azp"] = .string(grant.clientID) }
    claims["exp"] = .integer(now + Self.tokenLifetime)
    claims["auth_time"] = .integer(grant.signedInAt)
    if let nonce = grant.nonce { claims["nonce"] = .string(nonce) }
    if let code { claims["c_hash"] = .string(Self.halfHash(code)) }
    if let accessToken { claims["at_hash"] = .string(Self.halfHash(accessToken)) }
    return try key(of: provider).sign(claims)
  }

  /// The left half of the SHA-256 hash, for `c_hash` and `at_hash`.
  private static func halfHash(_ text: String) -> String {
    Base64URL.encode(Array(Digest.sha256(Array(text.utf8)).prefix(16)))
  }
}
