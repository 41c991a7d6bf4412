internal import System
internal import HTTP
internal import OIDC

extension IdentityProviders {
  /// The provider's metadata (OpenID Connect Discovery 1.0, section 3).
  func discovery(of provider: IdentityProvider, tenant: String?) -> ServerResponse {
    if provider.kind == .microsoft, let tenant, !isKnownTenant(tenant) {
      return oauthError(
        400, "invalid_tenant", "AADSTS90002: there is no tenant \(tenant)")
    }
    let origin = context.origin
    var metadata: JSONObject
    switch provider.kind {
    case .microsoft:
      let base = "\(origin)\(provider.root)/\(PercentEncoding.encode(tenant ?? "common"))"
      metadata = describe(
        provider, issuer: provider.issuer(origin: origin, tenantID: tenantID(tenant)),
        authorize: "\(base)/oauth2/v2.0/authorize", token: "\(base)/oauth2/v2.0/token",
        userinfo: "\(origin)/graph.microsoft.com/oidc/userinfo",
        keys: "\(base)/discovery/v2.0/keys", subject: "pairwise",
        further: [
          "end_session_endpoint": "\(base)/oauth2/v2.0/logout",
          "device_authorization_endpoint": "\(base)/oauth2/v2.0/devicecode",
        ])
      metadata[Self.issuerParameter] = .bool(
        singleIssuer(of: provider, tenant: tenant) != nil)
    case .yahoo:
      let base = origin + provider.root
      metadata = describe(
        provider, issuer: provider.issuer(origin: origin),
        authorize: "\(base)/oauth2/request_auth", token: "\(base)/oauth2/get_token",
        userinfo: "\(base)/openid/v1/userinfo", keys: "\(base)/openid/v1/certs",
        further: ["revocation_endpoint": "\(base)/oauth2/revoke"])
    case .google:
      metadata = describe(
        provider, issuer: provider.issuer(origin: origin),
        authorize: "\(origin)\(provider.root)/o/oauth2/v2/auth",
        token: "\(origin)/oauth2.googleapis.com/token",
        userinfo: "\(origin)/openidconnect.googleapis.com/v1/userinfo",
        keys: "\(origin)/www.googleapis.com/oauth2/v3/certs",
        further: [
          "revocation_endpoint": "\(origin)/oauth2.googleapis.com/revoke",
          "device_authorization_endpoint": "\(origin)/oauth2.googleapis.com/device/code",
        ])
    case .oidc:
      let base = origin + provider.root
      metadata = describe(
        provider, issuer: provider.issuer(origin: origin), authorize: "\(base)/authorize",
        token: "\(base)/token", userinfo: "\(base)/userinfo", keys: "\(base)/jwks",
        further: [
          "end_session_endpoint": "\(base)/logout", "revocation_endpoint": "\(base)/revoke",
          "device_authorization_endpoint": "\(base)/device_authorization",
        ])
    }
    return ServerResponse(json: .object(metadata), headers: ["Access-Control-Allow-Origin": "*"])
  }

  private func describe(
    _ provider: IdentityProvider, issuer: String, authorize: String, token: String,
    userinfo: String, keys: String, subject: String = "public",
    further: KeyValuePairs<String, String>
  ) -> JSONObject {
    let isPublic = provider.registration?.clientSecret == nil
    var grants: [JSON] = ["authorization_code", "refresh_token", "implicit"]
    if provider.hasDevices { grants.append(.string(Self.deviceGrant)) }
    var scopes: [JSON] = ["openid", "profile", "email"]
    if provider.kind == .microsoft || provider.kind == .oidc { scopes.append("offline_access") }
    var metadata: JSONObject = [
      "issuer": .string(issuer), "authorization_endpoint": .string(authorize),
      "token_endpoint": .string(token), "userinfo_endpoint": .string(userinfo),
      "jwks_uri": .string(keys), "scopes_supported": .array(scopes),
      "response_types_supported": ["code", "id_token", "code id_token"],
      "response_modes_supported": ["query", "fragment", "form_post"],
      "grant_types_supported": .array(grants),
      "subject_types_supported": [.string(subject)],
      "id_token_signing_alg_values_supported": ["RS256"],
      "token_endpoint_auth_methods_supported":
        isPublic ? ["none"] : ["client_secret_basic", "client_secret_post"],
      "code_challenge_methods_supported": ["S256"],
      "prompt_values_supported": ["none", "login", "consent", "select_account"],
      "ui_locales_supported": .array(Wording.Language.allCases.map { .string($0.rawValue) }),
      "claims_supported": .array(ProviderClaims.names(of: provider.kind).map { .string($0) }),
      "request_parameter_supported": false, "request_uri_parameter_supported": false,
    ]
    metadata[Self.issuerParameter] = true
    for (name, address) in further { metadata[name] = .string(address) }
    return metadata
  }

  private static let issuerParameter = "authorization_response_iss_parameter_supported"

  /// The issuer in responses of the authorization endpoint (RFC 9207).
  ///
  /// It is nil when the metadata has a template instead of an issuer, as at Microsoft's `common` and `organizations`.
  func singleIssuer(of provider: IdentityProvider, tenant: String?) -> String? {
    let tenant = tenantID(tenant)
    guard provider.kind != .microsoft || tenant != nil else { return nil }
    return provider.issuer(origin: context.origin, tenantID: tenant)
  }

  func keySet(of provider: IdentityProvider) -> ServerResponse {
    guard let key = try? key(of: provider) else {
      return oauthError(500, "server_error", "the signing key could not be made")
    }
    return ServerResponse(
      json: ["keys": [.object(key.publicJWK)]], headers: ["Access-Control-Allow-Origin": "*"])
  }

  /// The grant type with which a service account requests access tokens (RFC 7523 section 2.1).
  static let serviceAccountGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

  /// An access token for a caller that signed with the service account's key.
  ///
  /// The error messages are Google's: clients use them to distinguish a wrong clock from a wrong key.
  func accessToken(forServiceAccount form: FormFields) -> ServerResponse {
    func refuse(_ words: String) -> ServerResponse { oauthError(400, "invalid_grant", words) }
    guard let text = form["assertion"] else {
      return oauthError(400, "invalid_request", "assertion is missing")
    }
    guard let token = try? JWT(decoding: text) else { return refuse("Bad Request") }
    let claims = token.claims
    let email = claims["iss"]?.string ?? ""
    guard email.hasPrefix("luath@"), email.hasSuffix(".iam.gserviceaccount.com") else {
      return refuse("Invalid grant: account not found")
    }
    guard let verifiers = context.keys.existingVerifiers(for: .serviceAccount),
      (try? token.verify(verifiers, algorithms: [.rs256])) != nil
    else { return refuse("Invalid JWT Signature.") }
    // The audience is our URL, or Google's in service account keys of real projects.
    let path = "oauth2.googleapis.com/token"
    guard let audience = claims["aud"]?.string,
      ["\(context.origin)/\(path)", "https://\(path)"].contains(audience)
    else { return refuse("Invalid JWT: the audience must be \(context.origin)/\(path)") }
    let now = context.clock.seconds
    guard let issued = claims["iat"]?.integer, let ends = claims["exp"]?.integer,
      (now - 300...now + 300).contains(issued), ends > now, ends <= issued + 3600
    else {
      return refuse(
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
          + "timeframe. Check your iat and exp values in the JWT claim.")
    }
    guard claims["scope"]?.string?.isEmpty == false else {
      return oauthError(400, "invalid_scope", "Empty or missing scope not allowed.")
    }
    // The backend accepts any token with the prefix of Google's access tokens.
    return ServerResponse(
      json: [
        "access_token": .string("ya29." + SecureRandom.token(bytes: 36)),
        "expires_in": .integer(Self.tokenLifetime - 1), "token_type": "Bearer",
      ], headers: ["Cache-Control": "no-store", "Pragma": "no-cache"])
  }
}
