public import System

extension OIDCClient {
  /// Verifies an ID token by all rules of OpenID Connect Core 3.1.3.7 and returns its claims.
  ///
  /// The signature is checked in every flow, even where the specification accepts TLS instead. With
  /// `maxAge`, the user's sign-in must be at most that many seconds ago. An access token issued
  /// with the ID token is compared with its hash in there.
  public func verify(
    _ idToken: Secret, nonce: IDTokenRules.NonceRule, maxAge: Int64? = nil,
    accessToken: Secret? = nil
  ) async throws(OIDCError) -> JSONObject {
    try await verify(
      idToken, nonce: nonce, maxAge: maxAge, hashes: TokenHashes(accessToken: accessToken))
  }

  func verify(
    _ idToken: Secret, nonce: IDTokenRules.NonceRule, maxAge: Int64?, hashes: TokenHashes
  ) async throws(OIDCError) -> JSONObject {
    let jwt: JWT
    do throws(JOSEError) {
      jwt = try JWT(decoding: idToken.reveal())
    } catch {
      throw OIDCError(error)
    }
    try await keys.verify(jwt)
    try IDTokenRules(
      issuer: try metadata.issuer(for: jwt.claims), audience: credentials.id, nonce: nonce,
      now: now(), leeway: settings.leeway
    ).check(jwt)
    try hashes.check(jwt)
    if let maxAge { try check(maxAge, jwt.claims) }
    return jwt.claims
  }

  // Rule 13. Some providers send the time with a fraction.
  private func check(_ maxAge: Int64, _ claims: JSONObject) throws(OIDCError) {
    guard let time = claims["auth_time"]?.number else {
      throw OIDCError(
        .staleSignIn, "the ID token does not say when the person signed in",
        hint: "have the provider put auth_time into ID tokens, or leave maxAge out")
    }
    guard time + Double(maxAge) + Double(settings.leeway) >= Double(now()) else {
      throw OIDCError(
        .staleSignIn, "the person signed in at the provider longer ago than allowed",
        hint: "begin again with prompt=login")
    }
  }
}
