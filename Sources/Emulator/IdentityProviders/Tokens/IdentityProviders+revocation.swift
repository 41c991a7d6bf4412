internal import System
internal import HTTP

extension IdentityProviders {
  /// The revocation endpoint (RFC 7009 section 2); an invalid token counts as revoked.
  func revoke(_ request: HTTPRequest, provider: IdentityProvider) -> ServerResponse {
    let form = request.form
    if let twice = form.firstRepeated {
      return oauthError(400, "invalid_request", "\(twice) is given more than once")
    }
    // Google does not authenticate the client, and also reads the token from the query.
    let isGoogle = provider.kind == .google
    if !isGoogle, let refused = clientRefusal(request, form, provider: provider) { return refused }
    let given = form["token"] ?? (isGoogle ? request.url.fields["token"] : nil)
    guard let token = given, !token.isEmpty else {
      return oauthError(400, "invalid_request", "token is missing")
    }
    let memory = memory(of: provider)
    if let known = memory.refreshTokens[token] {
      // Section 2.1: revoking a refresh token also revokes the tokens issued with it.
      memory.withdraw(family: known.grant.family)
    } else if let known = memory.accessTokens[token] {
      memory.accessTokens[token] = nil
      if isGoogle { memory.withdraw(family: known.grant.family) }
    } else if isGoogle {
      return oauthError(400, "invalid_token", "Token expired or revoked")
    }
    return ServerResponse(
      status: 200, text: "", headers: ["Cache-Control": "no-store", "Pragma": "no-cache"])
  }
}
