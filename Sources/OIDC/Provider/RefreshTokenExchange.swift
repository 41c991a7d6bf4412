public import System
public import HTTP

/// Redeems a refresh token for new tokens (RFC 6749 section 6).
public struct RefreshTokenExchange: Sendable {
  /// The provider's token endpoint.
  public var tokenEndpoint: WebURL
  /// The client's credentials.
  public var client: ClientCredentials
  /// The refresh token; the response may contain a new one.
  public var refreshToken: Secret

  /// Creates the exchange.
  public init(tokenEndpoint: WebURL, client: ClientCredentials, refreshToken: Secret) {
    self.tokenEndpoint = tokenEndpoint
    self.client = client
    self.refreshToken = refreshToken
  }

  /// Sends the refresh token.
  public func tokens(over transport: any Transport) async throws(OIDCError) -> TokenResponse {
    let fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken.reveal())]
    return try await TokenEndpoint(url: tokenEndpoint, client: client)
      .tokens(
        for: fields, secrets: [refreshToken],
        grantHint: "sign in again: the refresh token is used, expired or withdrawn",
        over: transport)
  }
}
