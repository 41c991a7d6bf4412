import System
public import HTTP

extension OIDCClient {
  /// Creates an authorization request with its own state, nonce and PKCE pair.
  ///
  /// `presentation` is the address at which a delegate listens. It takes precedence over the other
  /// redirect addresses, because the delegate receives responses only there.
  public func begin(
    _ options: AuthorizationOptions = AuthorizationOptions(), presentation: WebURL? = nil
  ) throws(OIDCError) -> OIDCFlow {
    try options.check()
    try checkResponseType(options.responseType)
    let redirectURI = try redirectAddress(options, presentation)
    let state = Secret(SecureRandom.token())
    let rawNonce = Secret(SecureRandom.token())
    let nonce = options.hashesNonce ? Secret(Digest.sha256Hex(rawNonce.reveal())) : rawNonce
    let pkce = PKCE()
    var fields = [
      ("response_type", options.responseType.rawValue), ("client_id", credentials.id),
      ("redirect_uri", redirectURI.text), ("scope", scope(options.scopes)),
      ("state", state.reveal()), ("nonce", nonce.reveal()),
    ]
    if options.responseType.hasCode {
      fields += [("code_challenge", pkce.challenge), ("code_challenge_method", "S256")]
    }
    fields += optional(options) + options.parameters.map { ($0.name, $0.value) }
    let endpoint = metadata.authorizationEndpoint
    let query = [endpoint.query, FormFields(fields).encoded].compactMap(\.self)
      .filter { !$0.isEmpty }.joined(separator: "&")
    return OIDCFlow(
      url: endpoint.with(query: query), redirectURI: redirectURI.url, state: state, nonce: nonce,
      rawNonce: rawNonce, pkce: pkce, redirectText: redirectURI.text, options: options,
      client: (metadata.issuer, credentials.id))
  }

  private func optional(_ options: AuthorizationOptions) -> [(String, String)] {
    let values: [(String, String?)] = [
      ("response_mode", options.responseMode?.rawValue), ("prompt", options.prompt),
      ("max_age", options.maxAge.map { String($0) }), ("login_hint", options.loginHint),
      ("ui_locales", options.uiLocales.joined(separator: " ")),
      ("acr_values", options.acrValues.joined(separator: " ")),
    ]
    return values.compactMap { name, value in
      guard let value, !value.isEmpty else { return nil }
      return (name, value)
    }
  }

  private func checkResponseType(_ type: AuthorizationOptions.ResponseType) throws(OIDCError) {
    let words = Set(type.rawValue.split(separator: " "))
    guard
      metadata.responseTypes.isEmpty
        || metadata.responseTypes.contains(where: { Set($0.split(separator: " ")) == words })
    else {
      throw OIDCError(
        .unsupported, "the provider does not offer the response type \(type.rawValue)",
        hint: "ask for one of those in response_types_supported of its description")
    }
  }

  /// Returns the redirect address as text, which the provider compares exactly, and parsed.
  private func redirectAddress(
    _ options: AuthorizationOptions, _ presentation: WebURL?
  ) throws(OIDCError) -> (text: String, url: WebURL) {
    guard
      let text = presentation?.with(fragment: nil).description ?? options.redirectURI
        ?? settings.redirectURI
    else {
      throw OIDCError(
        .unusableRequest, "the client has no redirect address",
        hint: "give redirectURI, such as http://127.0.0.1:8910/callback, as registered")
    }
    return (text, try trustedAddress(text, "the redirect address"))
  }
}
