internal import System
internal import HTTP

extension IdentityProviders {
  /// The user and token behind a bearer token of this provider (RFC 6750 section 2.1).
  func bearer(_ request: HTTPRequest, provider: IdentityProvider) -> (Person, AccessToken)? {
    guard let header = request.headers["Authorization"], header.lowercased().hasPrefix("bearer "),
      let token = memory(of: provider).accessTokens[String(header.dropFirst(7))],
      context.clock.seconds < token.expiresAt, let person = person(token.grant.email, at: provider)
    else { return nil }
    return (person, token)
  }

  /// The userinfo endpoint (OpenID Connect Core 1.0, section 5.3).
  func userinfo(_ request: HTTPRequest, provider: IdentityProvider) -> ServerResponse {
    guard let (person, token) = bearer(request, provider: provider) else {
      var response = oauthError(
        401, "invalid_token", "the access token is missing, unknown or expired")
      let detail = request.headers["Authorization"] == nil ? "" : " error=\"invalid_token\""
      response.headers.set("WWW-Authenticate", "Bearer\(detail)")
      return response
    }
    let claims = ProviderClaims(
      person: person, provider: provider, clientID: token.grant.clientID,
      scopes: token.grant.scopes
    ).claims
    return ServerResponse(json: .object(claims), headers: ["Cache-Control": "no-store"])
  }
}
