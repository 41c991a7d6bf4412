internal import System
internal import HTTP
internal import OIDC

extension IdentityProviders {
  /// The token endpoint (RFC 6749 sections 4.1.3 and 6).
  func token(
    _ request: HTTPRequest, provider: IdentityProvider, tenant: String?
  ) -> ServerResponse {
    let type = (request.headers["Content-Type"] ?? "").lowercased()
    guard type.hasPrefix("application/x-www-form-urlencoded") else {
      return oauthError(
        400, "invalid_request", "the body must be application/x-www-form-urlencoded")
    }
    let form = request.form
    if let twice = form.firstRepeated {
      return oauthError(400, "invalid_request", "\(twice) is given more than once")
    }
    if provider.kind == .google, form["grant_type"] == Self.serviceAccountGrant {
      return accessToken(forServiceAccount: form)
    }
    if provider.kind == .microsoft, let tenant, !isKnownTenant(tenant) {
      return oauthError(400, "invalid_request", "AADSTS90002: there is no tenant \(tenant)")
    }
    let isDevice = form["grant_type"] == Self.deviceGrant
    if let refused = clientRefusal(
      request, form, provider: provider,
      mayOmitSecret: isDevice && provider.kind == .microsoft)
    {
      return refused
    }
    switch form["grant_type"] {
    case "authorization_code": return redeem(form, provider: provider)
    case "refresh_token": return refresh(form, provider: provider)
    case Self.deviceGrant? where provider.hasDevices: return pollDevice(form, provider: provider)
    case nil: return oauthError(400, "invalid_request", "grant_type is missing")
    default:
      return oauthError(
        400, "unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
    }
  }

  /// The error response to a client that does not authenticate; nil when it does.
  func clientRefusal(
    _ request: HTTPRequest, _ form: FormFields, provider: IdentityProvider,
    mayOmitSecret: Bool = false
  ) -> ServerResponse? {
    let authentication = ClientAuthentication(request, form: form)
    guard let refusal = authentication.refusal(by: provider, mayOmitSecret: mayOmitSecret) else {
      return nil
    }
    var response = oauthError(refusal.status, refusal.error, refusal.description)
    if refusal.status == 401 {
      response.headers.set("WWW-Authenticate", "Basic realm=\"\(provider.id)\"")
    }
    return response
  }

  private func redeem(_ form: FormFields, provider: IdentityProvider) -> ServerResponse {
    let memory = memory(of: provider)
    guard let given = form["code"] else {
      return oauthError(400, "invalid_request", "code is missing")
    }
    guard var code = memory.codes[given] else {
      return oauthError(400, "invalid_grant", "the code is unknown")
    }
    if code.isUsed {
      // Another party has the code too, so withdraw its tokens (RFC 6749, 4.1.2).
      memory.withdraw(family: code.grant.family)
      return oauthError(400, "invalid_grant", "the code has been used before")
    }
    // Failed attempts below use up the code as well.
    code.isUsed = true
    memory.codes[given] = code
    guard context.clock.seconds < code.expiresAt else {
      return oauthError(400, "invalid_grant", "the code has expired")
    }
    guard ExactString(form["redirect_uri"] ?? "") == ExactString(code.redirectURI) else {
      return oauthError(
        400, "invalid_grant", "redirect_uri is not the one of the authorization request")
    }
    switch (code.challenge, form["code_verifier"]) {
    case (nil, nil): break
    case (let challenge?, let verifier?)
    where PKCE.matches(verifier: verifier, challenge: challenge):
      break
    default:
      return oauthError(400, "invalid_grant", "code_verifier does not fit the code_challenge")
    }
    return issue(
      code.grant, provider: provider,
      refreshGrant: code.grant.wantsRefreshToken ? code.grant : nil)
  }

  private func refresh(_ form: FormFields, provider: IdentityProvider) -> ServerResponse {
    let memory = memory(of: provider)
    guard let given = form["refresh_token"], let known = memory.refreshTokens[given] else {
      return oauthError(400, "invalid_grant", "the refresh token is unknown or was withdrawn")
    }
    if known.isUsed {
      // Two parties have the token, and it is unclear which of them is the app (RFC 9700 section 4.14.2).
      memory.withdraw(family: known.grant.family)
      return oauthError(400, "invalid_grant", "the refresh token was used before")
    }
    var grant = known.grant
    if let wanted = form["scope"]?.split(separator: " ").map(String.init), !wanted.isEmpty {
      guard Set(wanted).isSubset(of: Set(grant.scopes)) else {
        return oauthError(400, "invalid_scope", "a refresh cannot add scopes")
      }
      grant.scopes = wanted
    }
    let rotates = provider.registration?.keepsRefreshTokens != true
    if rotates { memory.refreshTokens[given] = RefreshToken(grant: known.grant, isUsed: true) }
    // Only these tokens have fewer scopes: the next refresh may request all of them (RFC 6749, 6).
    return issue(grant, provider: provider, refreshGrant: rotates ? known.grant : nil)
  }

  /// Issues tokens for a grant, with a refresh token when `refreshGrant` is given.
  func issue(
    _ grant: Grant, provider: IdentityProvider, refreshGrant: Grant?
  ) -> ServerResponse {
    guard let person = person(grant.email, at: provider) else {
      return oauthError(400, "invalid_grant", "the person has no account any more")
    }
    let memory = memory(of: provider)
    let access = SecureRandom.token(bytes: 36)
    var answer: JSONObject = [
      "token_type": "Bearer", "access_token": .string(access),
      "expires_in": .integer(Self.tokenLifetime),
      "scope": .string(grant.scopes.joined(separator: " ")),
    ]
    if grant.scopes.contains("openid") {
      guard
        let token = try? idToken(
          for: person, grant: grant, provider: provider, code: nil, accessToken: access)
      else {
        return oauthError(500, "server_error", "the ID token could not be signed")
      }
      answer["id_token"] = .string(token)
    }
    memory.accessTokens[access] = AccessToken(
      grant: grant, expiresAt: context.clock.seconds + Self.tokenLifetime)
    if let refreshGrant {
      let refresh = SecureRandom.token(bytes: 36)
      memory.refreshTokens[refresh] = RefreshToken(grant: refreshGrant)
      answer["refresh_token"] = .string(refresh)
    }
    if provider.kind == .yahoo {
      answer["xoauth_yahoo_guid"] = .string(person.subject(at: provider.id))
    }
    return ServerResponse(
      json: .object(answer), headers: ["Cache-Control": "no-store", "Pragma": "no-cache"])
  }

  func oauthError(_ status: Int, _ error: String, _ description: String) -> ServerResponse {
    ServerResponse(
      status: status,
      json: ["error": .string(error), "error_description": .string(description)],
      headers: ["Cache-Control": "no-store"])
  }
}
