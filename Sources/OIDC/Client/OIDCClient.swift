public import HTTP
public import System

/// A client of one OpenID provider: discovery, token requests, and verification.
///
/// A value type, but copies share the provider's keys. Use it from one thread.
public struct OIDCClient {
  /// The provider's metadata.
  public let metadata: ProviderMetadata
  /// The app's registration at the provider.
  public let settings: OIDCClientSettings
  /// The credentials for the provider's endpoints.
  public let credentials: ClientCredentials

  let transport: any Transport
  let keys: ProviderKeys
  /// Returns seconds since 1970.
  let now: () -> Int64

  init(
    _ settings: OIDCClientSettings, metadata: ProviderMetadata, over transport: any Transport,
    now: @escaping () -> Int64
  ) throws(OIDCError) {
    guard !settings.clientID.isEmpty else {
      throw OIDCError(
        .unusableRequest, "the client identifier is empty",
        hint: "give the identifier the provider gave out when the app was registered")
    }
    self.metadata = metadata
    self.settings = settings
    credentials = try settings.credentials(among: metadata.tokenAuthenticationMethods)
    self.transport = transport
    self.now = now
    keys = ProviderKeys(metadata.jwksURI, over: transport, now: now)
  }

  /// Fetches the issuer's metadata and creates a client (OpenID Connect Discovery 1.0).
  public static func discover(
    _ settings: OIDCClientSettings, over transport: any Transport, now: @escaping () -> Int64
  ) async throws(OIDCError) -> OIDCClient {
    let metadata = try await ProviderMetadata.discover(
      issuer: settings.issuer, at: settings.place, over: transport)
    return try OIDCClient(settings, metadata: metadata, over: transport, now: now)
  }

  /// Returns another endpoint by name, or throws when the provider does not have it.
  func endpoint(_ name: String, for purpose: String) throws(OIDCError) -> WebURL {
    if let url = try metadata.endpoint(name) { return url }
    throw OIDCError(
      .unsupported, "the provider offers no \(purpose): its description has no \(name)",
      hint: "do without, or ask the provider to switch it on for the client")
  }

  /// Returns the scopes of a request, with `openid` first, which OpenID Connect requires.
  func scope(_ scopes: [String]?) -> String {
    let wanted = scopes ?? settings.scopes
    return ((wanted.contains("openid") ? [] : ["openid"]) + wanted).joined(separator: " ")
  }

  /// Checks the response of a sign-in and returns its verified tokens.
  ///
  /// `finalURL` is the final URL with query and fragment; `postBody` is the body posted to it. The response must
  /// use the requested response mode, and the client must be the one that began the flow.
  public func finish(
    _ flow: OIDCFlow, finalURL: String, postBody: Secret? = nil
  ) async throws(OIDCError) -> OIDCTokens {
    try flow.checkClient(self)
    let answer = try AuthorizationAnswer(
      finalURL, postBody: postBody, to: flow.redirectURI, by: flow.options.expectedMode)
    try flow.accept(answer, by: self)
    let type = flow.options.responseType
    let code = answer["code"].map { Secret($0) }
    let early = answer["id_token"].map { Secret($0) }
    guard !type.hasCode || code != nil, !type.hasIDToken || early != nil else {
      throw OIDCError(
        .unexpectedAnswer, "the response lacks what was requested: \(type.rawValue)",
        hint: "pass the address with its whole query and fragment, or the body that was posted")
    }
    var claims: JSONObject?
    if type.hasIDToken, let early {
      claims = try await verify(
        early, nonce: flow.nonceRule, maxAge: flow.options.maxAge,
        hashes: TokenHashes(code: code, mustHaveCode: type.hasCode))
    }
    guard type.hasCode, let code else {
      let response = TokenResponse(idToken: early, others: [:])
      return OIDCTokens(response, claims: claims, rawNonce: flow.rawNonce)
    }
    return try await redeem(code, of: flow, early: claims)
  }

  private func redeem(
    _ code: Secret, of flow: OIDCFlow, early: JSONObject?
  ) async throws(OIDCError) -> OIDCTokens {
    let response = try await AuthorizationCodeExchange(
      tokenEndpoint: metadata.tokenEndpoint, client: credentials, code: code,
      redirectURI: flow.redirectText, verifier: flow.pkce.verifier
    ).tokens(over: transport)
    guard let idToken = response.idToken else { throw .withoutIDToken }
    let claims = try await verify(
      idToken, nonce: flow.nonceRule, maxAge: flow.options.maxAge,
      hashes: TokenHashes(accessToken: response.accessToken, code: code))
    // OpenID Connect Core section 3.3.3.6: both ID tokens must have the same subject.
    if let early, early["sub"] != claims["sub"] { throw .anotherPerson("the second ID token") }
    return OIDCTokens(response, claims: claims, rawNonce: flow.rawNonce)
  }

  /// Gets new tokens for a refresh token (OpenID Connect Core section 12).
  ///
  /// `previous` are the claims of the ID token issued with it: a new one must have the same subject
  /// and sign-in. A provider need not return an ID token.
  public func refresh(
    _ refreshToken: Secret, previous: JSONObject? = nil
  ) async throws(OIDCError) -> OIDCTokens {
    let response = try await RefreshTokenExchange(
      tokenEndpoint: metadata.tokenEndpoint, client: credentials, refreshToken: refreshToken
    ).tokens(over: transport)
    guard let idToken = response.idToken else { return OIDCTokens(response, claims: nil) }
    let claims = try await verify(idToken, nonce: .unchecked, accessToken: response.accessToken)
    if let previous { try Self.check(claims, against: previous) }
    return OIDCTokens(response, claims: claims)
  }

  /// Section 12.2: some claims must be unchanged, others only if they are present.
  private static func check(_ claims: JSONObject, against previous: JSONObject) throws(OIDCError) {
    guard claims["iss"] == previous["iss"], claims["sub"] == previous["sub"] else {
      throw .anotherPerson("the new ID token")
    }
    if let nonce = claims["nonce"], nonce != previous["nonce"] {
      throw OIDCError(
        .wrongNonce, "the new ID token's nonce is not that of the sign-in",
        hint: "begin the sign-in again")
    }
    if let party = claims["azp"], let before = previous["azp"], party != before {
      throw OIDCError(
        .wrongAudience, "the new ID token is for another client than the first",
        hint: "begin the sign-in again")
    }
    // auth_time should be unchanged as well, but some servers send that of the user's latest
    // sign-in. The subject is the same, so we accept that.
  }
}

/// The registration of an app at an OpenID provider.
public struct OIDCClientSettings: Sendable {
  /// The issuer, exactly as the provider spells it.
  public var issuer: String
  /// The address of an emulated provider, whose issuer may have any name; nil for all others.
  public var place: String?
  var clientID: String
  /// The client secret; nil for a public client, such as a program on a user's machine.
  var clientSecret: Secret?
  /// The authentication method; nil chooses one that the provider accepts.
  public var authentication: ClientCredentials.Method?
  /// The default redirect address.
  public var redirectURI: String?
  /// The default scopes; `openid` is added if missing.
  public var scopes: [String]
  /// The tolerated clock difference to the provider, in seconds.
  public var leeway: Int64

  /// Creates a registration.
  public init(
    issuer: String, clientID: String, clientSecret: Secret? = nil,
    authentication: ClientCredentials.Method? = nil, redirectURI: String? = nil,
    scopes: [String] = ["openid", "profile", "email"], leeway: Int64 = 60
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.authentication = authentication
    self.redirectURI = redirectURI
    self.scopes = scopes
    self.leeway = leeway
  }

  /// Returns credentials for a provider with these methods (OpenID Connect Core section 9).
  func credentials(among methods: [String]) throws(OIDCError) -> ClientCredentials {
    guard let clientSecret else {
      guard authentication == nil || authentication == ClientCredentials.Method.none else {
        throw OIDCError(
          .unusableRequest, "a client without a secret cannot prove that it has one",
          hint: "give clientSecret, or leave authentication out")
      }
      return ClientCredentials(id: clientID, secret: nil, method: ClientCredentials.Method.none)
    }
    if let authentication {
      return ClientCredentials(id: clientID, secret: clientSecret, method: authentication)
    }
    for method in [ClientCredentials.Method.basic, .post] where methods.contains(method.rawValue) {
      return ClientCredentials(id: clientID, secret: clientSecret, method: method)
    }
    let offered = methods.filter(isErrorName).joined(separator: ", ")
    throw OIDCError(
      .unsupported, "the provider does not take client secrets, only: \(offered)",
      hint: "register the client for client_secret_basic, or give authentication to try anyway")
  }
}

extension OIDCError {
  static func anotherPerson(_ what: String) -> OIDCError {
    OIDCError(
      .wrongSubject, "\(what) is of another user than the first",
      hint: "begin the sign-in again; if it happens again, do not trust the provider")
  }
}

/// The tokens of a user, with a verified ID token.
public struct OIDCTokens: Sendable {
  /// The provider's response.
  public let response: TokenResponse
  /// The claims of the ID token; nil when there is none, which is possible for a refresh only.
  public let claims: JSONObject?
  /// The nonce whose hash is in the ID token, which Firebase requires.
  public let rawNonce: Secret?

  init(_ response: TokenResponse, claims: JSONObject?, rawNonce: Secret? = nil) {
    self.response = response
    self.claims = claims
    self.rawNonce = rawNonce
  }
}
