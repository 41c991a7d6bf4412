import Encoding
import HTTP

/// Sends requests to a token endpoint and reads what it says (RFC 6749 section 5).
struct TokenEndpoint {
  let url: WebURL
  let client: ClientCredentials

  /// Asks for tokens; `secrets` are cut out of whatever a refusal says, and `grantHint` is what to
  /// do when the provider does not take what the tokens are asked with.
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
