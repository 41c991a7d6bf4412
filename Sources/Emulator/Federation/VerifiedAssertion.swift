internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

extension Backend {
  /// The provider's verified statement about the user.
  ///
  /// The request brings a pending token, the end of a redirect flow, or tokens the caller got from the provider itself.
  func verifiedAssertion(for request: IdentityRequest) async throws(Refusal) -> Assertion {
    if let token = request.pendingToken {
      // Measured: a pending token works more than once.
      guard let kept = pendingAssertions.peek(token, now: now) else {
        throw Refusal(
          .invalidPendingToken, "unknown or expired; start the provider's sign-in again")
      }
      return kept
    }
    // Measured: if the request has an ID token, an unknown session id is ignored.
    if let sessionID = request.sessionID, request.posted["id_token"] == nil || isStarted(sessionID)
    {
      return try await redirectAssertion(for: request, sessionID: sessionID)
    }
    return try await tokenAssertion(for: request)
  }

  // MARK: The end of a redirect flow

  private func isStarted(_ sessionID: String) -> Bool {
    [sessionID, Digest.sha256Hex(sessionID)].contains { flows.peek($0, now: now) != nil }
  }

  private func redirectAssertion(
    for request: IdentityRequest, sessionID: String
  ) async throws(Refusal) -> Assertion {
    // A page that starts the flow for an app sends the hash of the app's session id.
    let started =
      flows.take(sessionID, now: now) ?? flows.take(Digest.sha256Hex(sessionID), now: now)
    guard let flow = started else {
      throw Refusal(
        .invalidIdPResponse, "the session id is unknown, used or expired; start the sign-in again")
    }
    if let named = request.posted["providerId"],
      named.asciiLowercased != flow.providerID.asciiLowercased
    {
      throw Refusal(.invalidIdPResponse, "the session belongs to another provider")
    }
    let provider = try federatedProvider(flow.providerID)
    guard let uri = request.requestURI.web, Self.matches(uri, flow.continueURI) else {
      throw Refusal(.invalidIdPResponse, "the request URI is not the continue URI of the sign-in")
    }
    if let name = request.repeated {
      throw Refusal(.invalidIdPResponse, "the response has the parameter \(name) more than once")
    }
    guard let state = request.answered("state"), constantTimeEqual(state, flow.state) else {
      throw Refusal(.invalidIdPResponse, "the state is missing or belongs to another sign-in")
    }
    do throws(Refusal) {
      var assertion = try await assertion(answering: flow, request, of: provider)
      assertion.context = flow.context
      return assertion
    } catch {
      throw error.cleaned(of: flow, request, provider)
    }
  }

  /// Reads a response whose state belongs to the flow; a refusal may quote the provider's message.
  private func assertion(
    answering flow: RedirectSignIn, _ request: IdentityRequest, of provider: ProviderConfiguration
  ) async throws(Refusal) -> Assertion {
    let endpoints = try await endpoints(of: provider, tenant: flow.tenant)
    try Self.check(issuer: request.answer["iss"], of: endpoints)
    if let error = request.answered("error") {
      let detail = request.answered("error_description").map { ": \($0)" } ?? ""
      throw Refusal(.invalidIdPResponse, "the provider refused: \(error)\(detail)")
    }
    let code = request.answered("code").map { Secret($0) }
    var tokens = ProviderTokens()
    // Access token and code must match the ID token's `at_hash` and `c_hash`.
    var hashes = TokenHashes(code: code)
    if provider.isOIDC, provider.flow == .idToken {
      tokens.idToken = request.answered("id_token").map { Secret($0) }
      hashes.accessToken = request.answered("access_token").map { Secret($0) }
    } else {
      guard let code else {
        throw Refusal(.invalidIdPResponse, "the response has no authorization code")
      }
      tokens = try await redeem(code, of: flow, provider, at: endpoints)
      hashes.accessToken = tokens.accessToken
    }
    guard let idToken = tokens.idToken else {
      throw Refusal(.invalidIdPResponse, "the provider gave no ID token")
    }
    let claims = try await verifiedClaims(
      idToken, of: provider, at: endpoints, nonce: flow.nonce.map { .required($0) } ?? .raw(nil),
      hashes: hashes)
    return try await describe(claims, tokens, of: provider, at: endpoints)
  }

  /// Refuses a response of another issuer than the one that was asked (RFC 9207 section 2.4).
  private static func check(
    issuer: String?, of endpoints: ProviderEndpoints
  ) throws(Refusal) {
    guard let issuer else {
      guard !endpoints.namesIssuer else {
        throw Refusal(
          .invalidIdPResponse,
          "the response does not name its issuer, although the provider's metadata promises it")
      }
      return
    }
    guard endpoints.isIssuer(issuer) else {
      throw Refusal(
        .invalidIdPResponse, "the response is of another issuer than the requested one")
    }
  }

  /// Whether the browser returned to the continue URI: same origin and path, and no query parameter lost.
  private static func matches(_ url: WebURL, _ expected: WebURL) -> Bool {
    guard url.origin == expected.origin, sameText(url.path, expected.path) else {
      return false
    }
    let pairs = url.fields.pairs
    return expected.fields.pairs.allSatisfy { wanted in
      pairs.contains { pair in
        sameText(pair.name, wanted.name) && sameText(pair.value, wanted.value)
      }
    }
  }

  private func redeem(
    _ code: Secret, of flow: RedirectSignIn, _ provider: ProviderConfiguration,
    at endpoints: ProviderEndpoints
  ) async throws(Refusal) -> ProviderTokens {
    let exchange = AuthorizationCodeExchange(
      tokenEndpoint: endpoints.token,
      client: ClientCredentials(
        id: provider.clientID, secret: provider.clientSecret,
        method: provider.clientSecret == nil ? .none : endpoints.authentication),
      code: code, redirectURI: flow.redirectURI, verifier: flow.pkce.verifier)
    do throws(OIDCError) {
      let response = try await exchange.tokens(over: providers)
      return ProviderTokens(
        idToken: response.idToken, accessToken: response.accessToken,
        refreshToken: response.refreshToken, expiresIn: response.expiresIn)
    } catch {
      throw Refusal(error, "the code could not be redeemed")
    }
  }

  // MARK: Tokens the caller got from the provider

  private func tokenAssertion(for request: IdentityRequest) async throws(Refusal) -> Assertion {
    guard let id = request.answered("providerId") else { throw unusableCredential(request) }
    let provider = try federatedProvider(id)
    guard request.answered("id_token") != nil || request.answered("access_token") != nil else {
      throw unusableCredential(request)
    }
    let tokens = ProviderTokens(
      idToken: request.answered("id_token").map { Secret($0) },
      accessToken: request.answered("access_token").map { Secret($0) })
    // Any app can obtain such a token, and nothing in an access token shows for which app it was issued.
    guard provider.id != "microsoft.com", provider.id != "yahoo.com" else {
      throw Refusal(
        .invalidCredentialOrProviderID,
        "\(provider.id) tokens are not accepted, since their audience cannot be checked; "
          + "use the redirect flow or a custom token")
    }
    let endpoints = try await endpoints(of: provider, tenant: nil)
    if let idToken = tokens.idToken {
      let nonce = request.answered("nonce")
      let claims = try await verifiedClaims(
        idToken, of: provider, at: endpoints, nonce: .raw(nonce))
      return try await describe(claims, tokens, of: provider, at: endpoints)
    }
    guard provider.id == "google.com", let accessToken = tokens.accessToken else {
      throw Refusal(.invalidCredentialOrProviderID, "an ID token of \(provider.id) is needed")
    }
    let profile = try await self.profile(accessToken, at: endpoints)
    return try Self.assertion(of: provider.id, claims: profile, profile: profile, tokens)
  }

  private func unusableCredential(_ request: IdentityRequest) -> Refusal {
    Refusal(
      .invalidCredentialOrProviderID, "Invalid IdP response/credential: \(request.wholeURI)")
  }

  // MARK: Reading the provider's response

  private enum Nonce {
    /// The token must have this nonce.
    case required(String)
    /// The token must have the hash of this nonce, or none when the caller gave none.
    case raw(String?)
  }

  private func verifiedClaims(
    _ idToken: Secret, of provider: ProviderConfiguration, at endpoints: ProviderEndpoints,
    nonce: Nonce, hashes: TokenHashes = TokenHashes()
  ) async throws(Refusal) -> JSONObject {
    let jwt: JWT
    do throws(JOSEError) {
      jwt = try JWT(decoding: idToken.reveal())
    } catch {
      guard !rules[.googleAnswers] else {
        throw Refusal(.invalidIdPResponse, "Unable to parse the ID Token.")
      }
      throw Refusal(.invalidIdPResponse, "the ID token is malformed: \(error.message)")
    }
    if rules[.googleAnswers], case .raw = nonce { try requireFresh(jwt.claims, of: provider) }
    do throws(OIDCError) {
      try await issuers.verify(jwt, keysAt: endpoints.keys)
    } catch {
      guard !rules[.googleAnswers] || !error.isAboutSignature else {
        throw Refusal(.invalidIdPResponse, "Unable to verify the ID Token signature.")
      }
      throw Refusal(error, "the ID token cannot be trusted")
    }
    switch nonce {
    case .required(let expected):
      guard let found = jwt.claims["nonce"]?.string else {
        throw Refusal(
          .missingOrInvalidNonce, "the ID token has no nonce, though the request had one")
      }
      guard constantTimeEqual(found, expected) else {
        throw Refusal(.missingOrInvalidNonce, "the ID token is of another sign-in")
      }
    case .raw(let raw) where rules[.googleAnswers]:
      try Self.check(nonce: jwt.claims["nonce"]?.string, raw: raw)
    case .raw(let raw):
      let hash = raw.map { Digest.sha256Hex($0) }
      let found = jwt.claims["nonce"]?.string
      guard (found == nil) == (hash == nil), constantTimeEqual(found ?? "", hash ?? "") else {
        throw Refusal(
          .missingOrInvalidNonce,
          "the token's nonce must be the lower-case hexadecimal SHA-256 of the raw nonce")
      }
    }
    let claimRules = IDTokenRules(
      issuer: endpoints.expectedIssuer(for: jwt.claims), audience: provider.clientID,
      nonce: .unchecked, now: now)
    if rules[.googleAnswers] {
      try check(jwt.claims, issuer: claimRules.issuer, audience: claimRules.audience)
    }
    do throws(OIDCError) {
      // The messages of Google's servers for other kinds of tokens and tokens without a subject were not measured.
      if rules[.googleAnswers] {
        try claimRules.checkKindAndSubject(jwt)
      } else {
        try claimRules.check(jwt)
      }
      try hashes.check(jwt)
    } catch {
      throw Refusal(error, "the ID token is not acceptable")
    }
    if case .raw(_?) = nonce { rememberCredential(jwt.claims, of: provider) }
    return jwt.claims
  }

  private func describe(
    _ claims: JSONObject, _ tokens: ProviderTokens, of provider: ProviderConfiguration,
    at endpoints: ProviderEndpoints
  ) async throws(Refusal) -> Assertion {
    var assertion = try await profiled(claims, tokens, of: provider, at: endpoints)
    if rules[.googleAnswers], provider.isOIDC {
      assertion.attributes = Self.attributes(in: claims)
    }
    return assertion
  }

  private func profiled(
    _ claims: JSONObject, _ tokens: ProviderTokens, of provider: ProviderConfiguration,
    at endpoints: ProviderEndpoints
  ) async throws(Refusal) -> Assertion {
    guard let accessToken = tokens.accessToken, endpoints.profile != nil else {
      return try Self.assertion(of: provider.id, claims: claims, profile: claims, tokens)
    }
    let profile = try await self.profile(accessToken, at: endpoints)
    if provider.id == "microsoft.com" {
      try Self.check(graph: profile, against: claims)
    } else {
      // OpenID Connect Core 5.3.2: the two subjects must be the same, or the profile must not be used.
      guard let subject = profile["sub"]?.string, let expected = claims["sub"]?.string,
        sameText(subject, expected)
      else {
        throw Refusal(.invalidIdPResponse, "the profile is of another user than the ID token")
      }
    }
    return try Self.assertion(of: provider.id, claims: claims, profile: profile, tokens)
  }

  private func profile(
    _ accessToken: Secret, at endpoints: ProviderEndpoints
  ) async throws(Refusal) -> JSONObject {
    guard let url = endpoints.profile else {
      throw Refusal(.invalidIdPResponse, "the provider has no profile to read")
    }
    do throws(IssuerProblem) {
      return try await issuers.profile(at: url, bearer: accessToken)
    } catch {
      throw Refusal(.invalidIdPResponse, "the profile could not be read: \(error.text)")
    }
  }

  /// A work account's `oid` is the Graph id; a personal account's ends in it.
  private static func check(graph profile: JSONObject, against claims: JSONObject) throws(Refusal) {
    guard let oid = claims["oid"]?.string, let id = profile["id"]?.string else { return }
    let tail = String(oid.filter { $0 != "-" }.suffix(16))
    let expected = claims["tid"]?.string == MicrosoftAccount.personalTenantID ? tail : oid
    guard sameText(expected, id) else {
      throw Refusal(.invalidIdPResponse, "the profile is of another user than the ID token")
    }
  }

  /// The text in one line of at most 500 characters, without control characters: a provider's
  /// server may have written it.
  static func printable(_ text: String) -> String {
    let clean = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
    return String(String.UnicodeScalarView(clean.prefix(500)))
  }

  static func assertion(
    of providerID: String, claims: JSONObject, profile: JSONObject, _ tokens: ProviderTokens
  ) throws(Refusal) -> Assertion {
    let rawID = providerID == "microsoft.com" ? profile["id"]?.string : claims["sub"]?.string
    guard let rawID, !rawID.isEmpty, rawID.utf8.count <= 256 else {
      throw Refusal(.invalidIdPResponse, "the provider's response does not name the user")
    }
    var assertion = Assertion(providerID: providerID, rawID: rawID, tokens: tokens)
    assertion.profile = .object(
      providerID == "google.com" ? googleProfile(claims, profile) : profile)
    func text(_ names: String...) -> String? {
      for name in names {
        if let value = (profile[name] ?? claims[name])?.string, !value.isEmpty { return value }
      }
      return nil
    }
    switch providerID {
    case "microsoft.com":
      assertion.displayName = text("displayName", "name")
      assertion.firstName = text("givenName")
      assertion.lastName = text("surname")
      assertion.setEmail(text("mail", "email", "userPrincipalName"), isAssertedVerified: false)
    // Graph has no photo URL, only the photo itself, which needs the access token.
    default:
      assertion.displayName = text("name")
      assertion.firstName = text("given_name")
      assertion.lastName = text("family_name")
      assertion.photoURL = text("picture")
      assertion.screenName = text("nickname", "preferred_username")
      let verified = profile["email_verified"] ?? claims["email_verified"]
      assertion.setEmail(
        text("email"), isAssertedVerified: verified?.bool == true || verified?.string == "true")
    }
    return assertion
  }

  /// Google's profile in the form of its own API.
  private static func googleProfile(_ claims: JSONObject, _ profile: JSONObject) -> JSONObject {
    var shaped = JSONObject()
    shaped["id"] = claims["sub"]
    for name in ["name", "given_name", "family_name", "email", "picture", "locale", "hd"] {
      if let value = profile[name] ?? claims[name] { shaped[name] = value }
    }
    shaped["verified_email"] = profile["email_verified"] ?? claims["email_verified"] ?? false
    return shaped
  }
}

extension Assertion {
  /// Sets the address if it looks like one.
  mutating func setEmail(_ text: String?, isAssertedVerified: Bool) {
    guard let text, let address = EmailAddress.normalized(text) else { return }
    email = address
    isTrusted = EmailTrust.isTrusted(
      address, providerID: providerID, isAssertedVerified: isAssertedVerified)
  }
}
