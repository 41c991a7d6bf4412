public import Encoding
public import HTTP

/// Exchanges a token that a key's owner signed for an access token (RFC 7523 section 2.1).
public struct JWTBearerExchange: Sendable {
  /// The server's token endpoint.
  public var tokenEndpoint: WebURL
  /// The signed token, which says who asks and for what.
  public var assertion: Secret

  /// Describes the exchange.
  public init(tokenEndpoint: WebURL, assertion: Secret) {
    self.tokenEndpoint = tokenEndpoint
    self.assertion = assertion
  }

  /// Sends the token.
  public func tokens(over transport: any Transport) async throws(OIDCError) -> TokenResponse {
    let fields = [
      ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
      ("assertion", assertion.reveal()),
    ]
    return try await TokenEndpoint(url: tokenEndpoint, client: nil)
      .tokens(for: fields, secrets: [assertion], over: transport)
  }
}
