import Encoding
import HTTP

/// Sends one request to a token endpoint and reads what it says (RFC 6749 section 5).
struct TokenEndpoint {
  let url: WebURL
  let client: ClientCredentials

  /// Asks for tokens; `secrets` are cut out of whatever a refusal says.
  func tokens(
    for fields: [(String, String)], secrets: [Secret], over transport: any Transport
  ) async throws(OIDCError) -> TokenResponse {
    let connection = ProviderConnection(transport: transport)
    let url = try trustedAddress(url.description, "the token endpoint")
    var request = HTTPRequest.post(url, form: FormFields(fields + client.fields))
    request.headers.set("Accept", "application/json")
    if let authorization = client.authorization {
      request.headers.set("Authorization", authorization)
    }
    let response = try await connection.answer(to: request)
    let document = try? response.json().object
    // Some servers refuse with status 200 and an error member.
    if document?["error"] != nil || response.status != 200 {
      throw refusal(response, document, secrets + [client.secret].compactMap(\.self))
    }
    return try TokenResponse(
      json: .object(try connection.object(in: response, "the tokens")))
  }

  private func refusal(
    _ response: HTTPResponse, _ document: JSONObject?, _ secrets: [Secret]
  ) -> OIDCError {
    let name = document?["error"]?.string.flatMap { Self.isErrorName($0) ? $0 : nil }
    guard name != nil || (400..<500).contains(response.status) else {
      return OIDCError(
        .unexpectedAnswer, "\(url.origin) answers with status \(response.status) for the tokens",
        hint: "check the token endpoint's address, and that the server is well")
    }
    var message = "\(url.origin) refuses to give tokens: "
    message += name ?? "status \(response.status)"
    if let text = document?["error_description"]?.string, !text.isEmpty {
      message += " (\(harmless(text, without: secrets)))"
    }
    return OIDCError(.refused, message, hint: Self.hint(for: name), providerError: name)
  }

  private static func hint(for name: String?) -> String {
    switch name {
    case "invalid_client": "check the client identifier and secret, and how they are sent"
    case "invalid_grant":
      "start the sign-in again: a code works once, soon, and with the redirect URI it was made for"
    case "unauthorized_client": "allow this kind of grant for the client at the provider"
    case "invalid_scope": "ask for scopes the provider knows"
    default: "check how the client is registered at the provider, then start the sign-in again"
    }
  }

  private static func isErrorName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
  }
}

/// A server's words in one short line, without control characters and without our secrets.
func harmless(_ text: String, without secrets: [Secret]) -> String {
  var bytes = Array(text.utf8)
  for secret in secrets {
    let hidden = Array(secret.reveal().utf8)
    guard !hidden.isEmpty else { continue }
    var index = 0
    while index + hidden.count <= bytes.count {
      if bytes[index..<(index + hidden.count)].elementsEqual(hidden) {
        let mask = Array(secret.description.utf8)
        bytes.replaceSubrange(index..<(index + hidden.count), with: mask)
        index += mask.count
      } else {
        index += 1
      }
    }
  }
  let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.prefix(240)
  var line = String.UnicodeScalarView()
  for scalar in scalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: line.append(" ")
    default: line.append(scalar)
    }
  }
  return String(line)
}
