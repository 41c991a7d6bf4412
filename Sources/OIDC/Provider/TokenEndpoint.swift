public import HTTP
public import System

/// Sends requests to a token endpoint and parses its responses (RFC 6749 section 5).
struct TokenEndpoint {
  let url: WebURL
  let client: ClientCredentials

  /// Requests tokens.
  ///
  /// `secrets` are removed from error messages; `grantHint` is the hint for `invalid_grant`.
  func tokens(
    for fields: [(String, String)], secrets: [Secret], grantHint: String? = nil,
    over transport: any Transport
  ) async throws(OIDCError) -> TokenResponse {
    var endpoint = ClientEndpoint(url: url, client: client, does: "give tokens")
    if let grantHint { endpoint.grantHint = grantHint }
    return try TokenResponse(
      json: .object(try await endpoint.object(for: fields, secrets: secrets, over: transport)))
  }
}

/// The credentials of a client at a provider's token endpoint (RFC 6749 section 2.3).
public struct ClientCredentials: Sendable {
  /// The authentication methods, by their names in OpenID Connect Core section 9.
  public enum Method: String, Sendable, CaseIterable {
    /// Identifier and secret in the Authorization header.
    case basic = "client_secret_basic"
    /// Identifier and secret in the form.
    case post = "client_secret_post"
    /// The identifier alone, for a public client.
    case none
  }

  /// The client identifier.
  public let id: String
  /// The client secret; nil for a public client.
  let secret: Secret?
  let method: Method

  /// Creates credentials; by default a secret is sent in the header.
  public init(id: String, secret: Secret?, method: Method? = nil) {
    self.id = id
    self.secret = secret
    self.method = method ?? (secret == nil ? .none : .basic)
  }

  /// The value of the Authorization header, if the method uses it.
  var authorization: String? {
    guard method == .basic else { return nil }
    // Section 2.3.1: both are form-encoded before they are joined.
    let pair = [id, secret?.reveal() ?? ""].map { PercentEncoding.encode($0) }
    return "Basic " + Self.encoded(pair)
  }

  /// All encodings of the secret, which must not be shown.
  var secrets: [Secret] {
    guard let secret, !secret.reveal().isEmpty else { return [] }
    let pair = [id, secret.reveal()]
    return [
      secret, Secret(Self.encoded(pair)),
      Secret(Self.encoded(pair.map { PercentEncoding.encode($0) })),
    ]
  }

  private static func encoded(_ pair: [String]) -> String {
    Base64.encode(Array(pair.joined(separator: ":").utf8))
  }

  var fields: [(String, String)] {
    switch method {
    case .basic: []
    case .post: [("client_id", id), ("client_secret", secret?.reveal() ?? "")]
    case .none: [("client_id", id)]
    }
  }
}

/// Redeems an authorization code for tokens (OpenID Connect Core section 3.1.3).
public struct AuthorizationCodeExchange: Sendable {
  var tokenEndpoint: WebURL
  var client: ClientCredentials
  var code: Secret
  /// The redirect URI of the authorization request, unchanged.
  var redirectURI: String
  /// The PKCE verifier, if the request had a challenge.
  var verifier: Secret?

  /// Creates the exchange.
  public init(
    tokenEndpoint: WebURL, client: ClientCredentials, code: Secret, redirectURI: String,
    verifier: Secret? = nil
  ) {
    self.tokenEndpoint = tokenEndpoint
    self.client = client
    self.code = code
    self.redirectURI = redirectURI
    self.verifier = verifier
  }

  /// Sends the code, which can be used only once, even if this fails.
  public func tokens(over transport: any Transport) async throws(OIDCError) -> TokenResponse {
    var fields = [
      ("grant_type", "authorization_code"), ("code", code.reveal()), ("redirect_uri", redirectURI),
    ]
    if let verifier { fields.append(("code_verifier", verifier.reveal())) }
    return try await TokenEndpoint(url: tokenEndpoint, client: client)
      .tokens(for: fields, secrets: [code] + [verifier].compactMap(\.self), over: transport)
  }
}

/// Redeems a refresh token for new tokens (RFC 6749 section 6).
struct RefreshTokenExchange: Sendable {
  var tokenEndpoint: WebURL
  var client: ClientCredentials
  /// The refresh token; the response may contain a new one.
  var refreshToken: Secret

  /// Sends the refresh token.
  func tokens(over transport: any Transport) async throws(OIDCError) -> TokenResponse {
    let fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken.reveal())]
    return try await TokenEndpoint(url: tokenEndpoint, client: client)
      .tokens(
        for: fields, secrets: [refreshToken],
        grantHint: "sign in again: the refresh token is used, expired or withdrawn",
        over: transport)
  }
}

/// The response of a token endpoint (RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3).
public struct TokenResponse: Sendable {
  /// The ID token, unverified.
  public let idToken: Secret?
  /// The token for the provider's own APIs.
  public let accessToken: Secret?
  /// The token to get new tokens.
  public let refreshToken: Secret?
  /// The lifetime of the access token in seconds.
  public let expiresIn: Int64?
  /// The granted scopes; nil when they are the requested ones.
  public let scope: String?
  /// The type of the access token; `Bearer` by default.
  public let tokenType: String
  /// All other members, such as a provider's own user identifier.
  let others: JSONObject

  /// Creates a response with an ID token that did not come from a token endpoint.
  init(idToken: Secret?, others: JSONObject) {
    self.idToken = idToken
    accessToken = nil
    refreshToken = nil
    expiresIn = nil
    scope = nil
    tokenType = "Bearer"
    self.others = others
  }

  /// Parses the response of a token endpoint, which must contain a token.
  init(json: JSON) throws(OIDCError) {
    func text(_ name: String) -> String? {
      guard let value = json[name]?.string, !value.isEmpty else { return nil }
      return value
    }
    idToken = text("id_token").map(Secret.init)
    accessToken = text("access_token").map(Secret.init)
    refreshToken = text("refresh_token").map(Secret.init)
    // Some servers send the lifetime as a string.
    expiresIn = json["expires_in"]?.integer ?? json["expires_in"]?.string.flatMap { Int64($0) }
    scope = text("scope")
    tokenType = text("token_type") ?? "Bearer"
    var others = json.object ?? [:]
    for name in [
      "id_token", "access_token", "refresh_token", "expires_in", "scope", "token_type",
    ] { others[name] = nil }
    self.others = others
    guard idToken != nil || accessToken != nil else {
      throw OIDCError(
        .unexpectedAnswer, "the token endpoint returned no token",
        hint: "check the token endpoint's address")
    }
    // RFC 6749 section 7.1: a token of unknown type must not be used.
    guard accessToken == nil || tokenType.lowercased() == "bearer" else {
      throw OIDCError(
        .unexpectedAnswer,
        "the token endpoint returned an access token of a type other than Bearer",
        hint: "have the client registered for Bearer tokens; no others are used here")
    }
  }
}
