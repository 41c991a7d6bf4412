import System
import HTTP

/// Redeems a refresh token for new tokens (RFC 6749 section 6).
struct RefreshTokenExchange: Sendable {
  /// The provider's token endpoint.
  var tokenEndpoint: WebURL
  /// The client's credentials.
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
