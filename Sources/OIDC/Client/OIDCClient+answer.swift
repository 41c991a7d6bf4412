public import System
import HTTP

extension OIDCClient {
  /// Checks the response of a sign-in and returns its verified tokens.
  ///
  /// `finalURL` is the final URL with query and fragment; `postBody` is the body posted to it. The response must
  /// use the requested response mode, and the client must be the one that began the flow.
  public func finish(
    _ flow: OIDCFlow, finalURL: String, postBody: Secret? = nil
  ) async throws(OIDCError) -> OIDCTokens {
    try flow.checkClient(self)
    let answer = try AuthorizationAnswer(
      finalURL, postBody: postBody, to: flow.redirectURI, by: flow.options.expectedMode)
    try flow.accept(answer, by: self)
    let type = flow.options.responseType
    let code = answer["code"].map { Secret($0) }
    let early = answer["id_token"].map { Secret($0) }
    guard !type.hasCode || code != nil, !type.hasIDToken || early != nil else {
      throw OIDCError(
        .unexpectedAnswer, "the answer lacks what was asked for: \(type.rawValue)",
        hint: "pass the address with its whole query and fragment, or the body that was posted")
    }
    var claims: JSONObject?
    if type.hasIDToken, let early {
      claims = try await verify(
        early, nonce: .exactly(flow.nonce.reveal()), maxAge: flow.options.maxAge,
        hashes: TokenHashes(code: code, mustHaveCode: type.hasCode))
    }
    guard type.hasCode, let code else {
      let response = TokenResponse(idToken: early, others: [:])
      return OIDCTokens(response, claims: claims, rawNonce: flow.rawNonce)
    }
    return try await redeem(code, of: flow, early: claims)
  }

  private func redeem(
    _ code: Secret, of flow: OIDCFlow, early: JSONObject?
  ) async throws(OIDCError) -> OIDCTokens {
    let response = try await AuthorizationCodeExchange(
      tokenEndpoint: metadata.tokenEndpoint, client: credentials, code: code,
      redirectURI: flow.redirectText, verifier: flow.pkce.verifier
    ).tokens(over: transport)
    guard let idToken = response.idToken else { throw .withoutIDToken }
    let claims = try await verify(
      idToken, nonce: .exactly(flow.nonce.reveal()), maxAge: flow.options.maxAge,
      hashes: TokenHashes(accessToken: response.accessToken, code: code))
    // OpenID Connect Core section 3.3.3.6: both ID tokens must have the same subject.
    if let early, early["sub"] != claims["sub"] { throw .anotherPerson("the second ID token") }
    return OIDCTokens(response, claims: claims, rawNonce: flow.rawNonce)
  }
}

extension OIDCError {
  static func anotherPerson(_ what: String) -> OIDCError {
    OIDCError(
      .wrongSubject, "\(what) is about another person than the first",
      hint: "begin the sign-in again; if it happens again, do not trust the provider")
  }
}
