import Encoding
import HTTP

/// Sends requests to a token endpoint and reads what it says (RFC 6749 section 5).
struct TokenEndpoint {
  let url: WebURL
  let client: ClientCredentials

  /// Asks for tokens; `secrets` are cut out of whatever a refusal says.
  func tokens(
    for fields: [(String, String)], secrets: [Secret], over transport: any Transport
  ) async throws(OIDCError) -> TokenResponse {
    let endpoint = ClientEndpoint(url: url, client: client, does: "give tokens")
    return try TokenResponse(
      json: .object(try await endpoint.object(for: fields, secrets: secrets, over: transport)))
  }
}
