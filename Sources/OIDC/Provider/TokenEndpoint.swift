import System
import HTTP

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
