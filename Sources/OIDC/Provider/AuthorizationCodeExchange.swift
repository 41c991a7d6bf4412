public import System
public import HTTP

/// Redeems an authorization code for tokens (OpenID Connect Core section 3.1.3).
public struct AuthorizationCodeExchange: Sendable {
  /// The provider's token endpoint.
  var tokenEndpoint: WebURL
  /// The client's credentials.
  var client: ClientCredentials
  /// The code from the redirect.
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
