import System
import HTTP

/// Sends forms to an endpoint with client authentication (RFC 6749 section 2.3).
struct ClientEndpoint {
  let url: WebURL
  let client: ClientCredentials
  /// The action of the endpoint in error messages: `give tokens`.
  let does: String
  var grantHint =
    "start the sign-in again: a code works once, soon, and with the redirect URI it was made for"

  /// Returns the JSON response; removes `secrets` from error messages.
  func object(
    for fields: [(String, String)], secrets: [Secret], over transport: any Transport
  ) async throws(OIDCError) -> JSONObject {
    let response = try await answer(to: fields, secrets: secrets, over: transport)
    return try ProviderConnection(transport: transport).object(
      in: response, "the request to \(does)")
  }

  /// Returns the response, which must have status 200 and no error.
  func answer(
    to fields: [(String, String)], secrets: [Secret], over transport: any Transport
  ) async throws(OIDCError) -> HTTPResponse {
    let url = try trustedAddress(url.description, "the endpoint that should \(does)")
    var request = HTTPRequest.post(url, form: FormFields(fields + client.fields))
    request.headers.set("Accept", "application/json")
    if let authorization = client.authorization {
      request.headers.set("Authorization", authorization)
    }
    let response = try await ProviderConnection(transport: transport).answer(to: request)
    let document = try? response.json().object
    // Some servers report errors with status 200 and an error member.
    if document?["error"] != nil || response.status != 200 {
      throw refusal(response, document, secrets + client.secrets)
    }
    return response
  }

  private func refusal(
    _ response: HTTPResponse, _ document: JSONObject?, _ secrets: [Secret]
  ) -> OIDCError {
    let name = document?["error"]?.string.flatMap { errorName($0, without: secrets) }
    guard name != nil || (400..<500).contains(response.status) else {
      return OIDCError(
        .unexpectedAnswer,
        "\(url.withoutQuery) answers with status \(response.status) when asked to \(does)",
        hint: "check the endpoint's address, and that the server is well")
    }
    var message = "\(url.withoutQuery) refuses to \(does): "
    message += name ?? "status \(response.status)"
    let text = document?["error_description"]?.string ?? ""
    if !text.isEmpty { message += " (\(harmless(text, without: secrets)))" }
    if RedirectComplaint.isMade(by: name, text) {
      return OIDCError(
        .redirectNotRegistered, message, hint: RedirectComplaint.hint, providerError: name)
    }
    // RFC 6749 section 5.2: status 401 means that client authentication failed, which Keycloak
    // reports as unauthorized_client.
    let isClient =
      name == "invalid_client"
      || response.status == 401 && (name == nil || name == "unauthorized_client")
    return OIDCError(
      isClient ? .clientRefused : .refused, message,
      hint: isClient ? clientHint(for: name) : hint(for: name), providerError: name)
  }

  private func clientHint(for name: String?) -> String {
    var hint =
      "check the client's identifier and secret, which were sent by \(client.method.rawValue)"
    if name == "unauthorized_client" {
      hint += "; if they are right, allow this kind of grant for the client at the provider"
    }
    return hint
  }

  private func hint(for name: String?) -> String {
    switch name {
    case "invalid_grant": grantHint
    case "unauthorized_client": "allow this kind of grant for the client at the provider"
    case "invalid_scope": "ask for scopes the provider knows"
    default: "check how the client is registered at the provider, then start the sign-in again"
    }
  }
}
