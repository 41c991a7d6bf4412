public import System
import HTTP

extension OIDCClient {
  /// Returns the provider's claims about the user of an access token (OpenID Connect Core 5.3).
  ///
  /// `subject` is the `sub` of the ID token issued with it. Without it, the claims may be of
  /// another user, whose access token was injected (section 5.3.2).
  public func userinfo(
    _ accessToken: Secret, subject: String?
  ) async throws(OIDCError) -> JSONObject {
    guard let endpoint = metadata.userinfoEndpoint else {
      throw OIDCError(
        .unsupported, "the provider offers no userinfo: its description has no userinfo_endpoint",
        hint: "use the claims of the ID token")
    }
    let connection = ProviderConnection(transport: transport)
    var request = HTTPRequest(url: endpoint)
    request.headers.set("Accept", "application/json")
    request.headers.set("Authorization", "Bearer \(accessToken.reveal())")
    let response = try await connection.answer(to: request)
    try check(response, accessToken)
    let claims = try connection.object(in: response, "the claims")
    guard let claimed = claims["sub"]?.string, !claimed.isEmpty else {
      throw OIDCError(
        .malformedClaims, "the userinfo's sub is missing or of the wrong type",
        hint: "report it to the provider; without that claim nobody knows who it is about")
    }
    if let subject, ExactString(claimed) != ExactString(subject) {
      throw .anotherPerson("the userinfo")
    }
    return claims
  }

  private func check(_ response: HTTPResponse, _ accessToken: Secret) throws(OIDCError) {
    if response.status == 401 || response.status == 403 {
      // RFC 6750 section 3; some servers send neither header nor body.
      let secrets = [accessToken] + credentials.secrets
      let challenge = response.headers["WWW-Authenticate"] ?? ""
      let name = Self.error(in: challenge).flatMap { errorName($0, without: secrets) }
      throw OIDCError(
        .refused,
        "\(response.url.withoutQuery) refuses the userinfo: \(name ?? "status \(response.status)")",
        hint: "get a new access token with refresh, and ask for the scope openid",
        providerError: name)
    }
    guard response.status == 200 else {
      throw ProviderConnection(transport: transport).unexpected(
        "\(response.url.withoutQuery) answers with status \(response.status) for the userinfo")
    }
    let type = response.headers["Content-Type"]?.lowercased() ?? ""
    guard !type.hasPrefix("application/jwt") else {
      throw OIDCError(
        .unsupported, "the provider gives its userinfo as a token, which is not read here",
        hint: "register the client without userinfo_signed_response_alg, for plain JSON")
    }
  }

  /// Returns the error of a challenge: `Bearer realm="x", error="invalid_token"`.
  private static func error(in challenge: String) -> String? {
    guard let mark = challenge.firstRange(of: "error=\"") else { return nil }
    return String(challenge[mark.upperBound...].prefix { $0 != "\"" })
  }
}
