public import HTTP
public import System

extension OIDCClient {
  /// Creates the request that signs the user out at the provider, to be opened in a browser.
  ///
  /// `presentation` is the address at which a delegate listens.
  public func logout(
    _ options: LogoutOptions = LogoutOptions(), presentation: WebURL? = nil
  ) throws(OIDCError) -> OIDCLogout {
    let endpoint = try endpoint("end_session_endpoint", for: "sign-out")
    let text = presentation?.with(fragment: nil).description ?? options.redirectURI
    let state = text == nil ? nil : Secret(SecureRandom.token())
    let values: [(String, String?)] = [
      ("client_id", credentials.id), ("id_token_hint", options.idToken?.reveal()),
      ("post_logout_redirect_uri", text), ("state", state?.reveal()),
      ("logout_hint", options.logoutHint),
      ("ui_locales", options.uiLocales.isEmpty ? nil : options.uiLocales.joined(separator: " ")),
    ]
    let fields = FormFields(values.compactMap { name, value in value.map { (name, $0) } })
    let redirectURI: WebURL?
    if let text {
      redirectURI = try trustedAddress(text, "the redirect address")
    } else {
      redirectURI = nil
    }
    let query = [endpoint.query, fields.encoded].compactMap(\.self).filter { !$0.isEmpty }
    return OIDCLogout(
      url: endpoint.with(query: query.joined(separator: "&")), redirectURI: redirectURI,
      state: state,
      secrets: [options.idToken].compactMap(\.self) + credentials.secrets)
  }

  /// The kind of a token, as a hint for the provider.
  public enum TokenKind: String, Sendable, CaseIterable {
    /// Only this token is revoked.
    case accessToken = "access_token"
    /// This token and every token issued for it are revoked.
    case refreshToken = "refresh_token"
  }

  /// Revokes a token (RFC 7009); an unknown token is not an error.
  public func revoke(_ token: Secret, kind: TokenKind? = nil) async throws(OIDCError) {
    let url = try endpoint("revocation_endpoint", for: "revocation of tokens")
    var fields = [("token", token.reveal())]
    if let kind { fields.append(("token_type_hint", kind.rawValue)) }
    _ = try await ClientEndpoint(url: url, client: credentials, does: "revoke a token")
      .answer(to: fields, secrets: [token], over: transport)
  }

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
        hint: "report it to the provider: the claim names the user")
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
        "\(response.url.withoutQuery) returned status \(response.status) for the userinfo")
    }
    let type = response.headers["Content-Type"]?.lowercased() ?? ""
    guard !type.hasPrefix("application/jwt") else {
      throw OIDCError(
        .unsupported, "the provider returns its userinfo as a token, which luath does not read",
        hint: "register the client without userinfo_signed_response_alg, for plain JSON")
    }
  }

  /// Returns the error of a challenge: `Bearer realm="x", error="invalid_token"`.
  private static func error(in challenge: String) -> String? {
    guard let mark = challenge.firstRange(of: "error=\"") else { return nil }
    return String(challenge[mark.upperBound...].prefix { $0 != "\"" })
  }
}

/// One sign-out at a provider, from its URL to the redirect.
public struct OIDCLogout: Sendable {
  /// The page to open; its query may contain an ID token.
  public let url: WebURL
  /// The redirect address; nil when the browser stays at the provider.
  public let redirectURI: WebURL?
  /// The state, which ties the redirect to this sign-out, if there is one.
  public let state: Secret?

  /// Secrets in the request that no error message may contain.
  let secrets: [Secret]

  /// Throws unless the browser was redirected from this sign-out.
  public func finish(finalURL: String, postBody: Secret? = nil) throws(OIDCError) {
    guard let redirectURI, let state else { return }
    let answer = try AuthorizationAnswer(finalURL, postBody: postBody, to: redirectURI, by: .query)
    if let failure = answer.failure(without: secrets + [state]) { throw failure }
    guard let claimed = answer["state"], constantTimeEqual(claimed, state.reveal()) else {
      throw OIDCError(
        .stateMismatch, "the browser was not redirected back from this sign-out",
        hint: "pass the address at which this sign-out ended")
    }
  }
}

extension OIDCLogout: CustomStringConvertible {
  /// The provider's origin, without secrets.
  public var description: String { "sign-out at \(url.origin)" }
}

/// The options of a sign-out (OpenID Connect RP-Initiated Logout 1.0 section 2).
public struct LogoutOptions: Sendable {
  /// An ID token of the session to end; without one the provider asks the user.
  public var idToken: Secret?
  /// The redirect address afterwards, as registered for sign-outs.
  public var redirectURI: String?
  /// Identifies the user, for a provider that cannot read the ID token.
  public var logoutHint: String?
  /// The languages of the pages, in order of preference.
  public var uiLocales: [String] = []

  /// Creates empty options.
  public init() {}
}
