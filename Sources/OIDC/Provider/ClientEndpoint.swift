import HTTP
import System

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
      let redirect = fields.first { $0.0 == "redirect_uri" }?.1
      throw refusal(response, document, secrets + client.secrets, redirect)
    }
    return response
  }

  private func refusal(
    _ response: HTTPResponse, _ document: JSONObject?, _ secrets: [Secret],
    _ redirectURI: String?
  ) -> OIDCError {
    let name = document?["error"]?.string.flatMap { errorName($0, without: secrets) }
    guard name != nil || (400..<500).contains(response.status) else {
      return OIDCError(
        .unexpectedAnswer,
        "\(url.withoutQuery) returned status \(response.status) when asked to \(does)",
        hint: "check the endpoint's address, and that the server is well")
    }
    var message = "\(url.withoutQuery) refuses to \(does): "
    message += name ?? "status \(response.status)"
    let text = document?["error_description"]?.string ?? ""
    if !text.isEmpty { message += " (\(harmless(text, without: secrets)))" }
    if RedirectComplaint.isMade(by: name, text) {
      return OIDCError(
        .redirectNotRegistered, message, hint: RedirectComplaint.hint(redirectURI),
        providerError: name)
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
      client.method == .none
      ? "no client secret was sent: set clientSecret, or for a public client check its identifier"
      : "check the client's identifier and secret, which were sent by \(client.method.rawValue)"
    if name == "unauthorized_client" {
      hint += "; if they are right, allow this kind of grant for the client at the provider"
    }
    return hint
  }

  private func hint(for name: String?) -> String {
    switch name {
    case "invalid_grant": grantHint
    case "unauthorized_client": "allow this kind of grant for the client at the provider"
    case "invalid_scope": "request scopes that the provider supports"
    default: "check how the client is registered at the provider, then start the sign-in again"
    }
  }
}

/// Recognizes error messages about a redirect URI that is not registered for the client.
///
/// No specification has an error code for it, because the error cannot be sent to that address.
public enum RedirectComplaint {
  /// The hint for such errors, with the address where it is known.
  static func hint(_ address: String?) -> String {
    "register \(address ?? "the redirect URI") for the client at the provider, letter for letter"
  }

  /// The code of Microsoft's error for such an address, in any language; also the beginning of AADSTS500113.
  public static let microsoftCode = "AADSTS50011"

  private static let names = [
    "aadsts50011", "redirect uri", "redirect url", "redirect address", "redirecturi", "redirecturl",
    "redirection uri", "redirection url", "reply url", "reply address", "callback url",
    "callback uri", "callback address", "return url",
  ]
  private static let verdicts = [
    "aadsts50011", "regist", "whitelist", "white list", "allow", "match", "invalid", "not valid",
    "unknown",
    "permit", "illegal", "wrong", "incorrect", "unauthor", "not authorized", "must", "refus",
    "accept", "support", "bad ", "not found",
  ]

  /// Whether a text mentions a redirect URI.
  public static func isMentioned(in text: String) -> Bool {
    let plain = plain(text)
    return names.contains { plain.contains($0) }
  }

  /// Whether a text rejects a redirect URI; a page may also just repeat one from the request.
  public static func isMade(in text: String) -> Bool {
    plain(text).split(separator: ". ").contains { sentence in
      let isNamed = names.contains { sentence.contains($0) } || sentence.contains("redirect ")
      return isNamed && verdicts.contains { sentence.contains($0) }
    }
  }

  /// Whether an endpoint's error or a response rejects a redirect URI.
  ///
  /// A code redeemed with another address than it was issued for is `invalid_grant`, which has
  /// nothing to do with the registration.
  static func isMade(by name: String?, _ description: String) -> Bool {
    guard name != "invalid_grant" else { return false }
    return isMentioned(in: name ?? "") || isMentioned(in: description) && isMade(in: description)
  }

  private static func plain(_ text: String) -> String {
    String(text.lowercased().map { $0 == "_" || $0 == "-" ? " " : $0 })
  }
}
