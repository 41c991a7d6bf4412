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
    guard sameText(form["redirect_uri"] ?? "", code.redirectURI) else {
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

/// The client id and secret of a token request, in the header or the body (RFC 6749 section 2.3.1).
struct ClientAuthentication {
  private var id: String?
  private var secret: String?
  private var isDoubled = false
  private var isMalformed = false

  init(_ request: HTTPRequest, form: FormFields) {
    id = form["client_id"]
    secret = form["client_secret"]
    guard let header = request.headers["Authorization"] else { return }
    guard header.lowercased().hasPrefix("basic "),
      let bytes = Base64.decode(String(header.dropFirst(6)).filter { $0 != " " }),
      let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":"),
      // Both parts are form-encoded before they are joined.
      let name = PercentEncoding.decode(String(text[..<colon]), plusIsSpace: true),
      let word = PercentEncoding.decode(
        String(text[text.index(after: colon)...]), plusIsSpace: true)
    else {
      isMalformed = true
      return
    }
    isDoubled = secret != nil || id.map { !sameText($0, name) } ?? false
    id = name
    secret = word
  }

  /// Why the client may not receive tokens (RFC 6749 section 5.2); nil when it may.
  func refusal(
    by provider: IdentityProvider, mayOmitSecret: Bool = false
  ) -> (status: Int, error: String, description: String)? {
    let number = provider.kind == .microsoft
    if isMalformed { return (401, "invalid_client", "the Authorization header is not understood") }
    if isDoubled {
      return (400, "invalid_request", "the client authenticates in the header and in the body")
    }
    guard let id else { return (400, "invalid_request", "client_id is missing") }
    guard let registration = provider.registration,
      sameText(id, registration.clientID)
    else {
      return (
        401, "invalid_client",
        (number ? "AADSTS700016: " : "") + "there is no client with this client_id"
      )
    }
    switch (registration.clientSecret, secret) {
    case (nil, nil): return nil
    case (nil, _?):
      return (
        401, "invalid_client",
        (number ? "AADSTS700025: " : "") + "the client is public and has no secret"
      )
    case (_?, nil) where mayOmitSecret: return nil
    case (_?, nil):
      return (
        401, "invalid_client", (number ? "AADSTS7000218: " : "") + "client_secret is missing"
      )
    case (let expected?, let given?):
      if constantTimeEqual(expected.reveal(), given) { return nil }
      return (
        401, "invalid_client", (number ? "AADSTS7000215: " : "") + "client_secret is not right"
      )
    }
  }
}

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
