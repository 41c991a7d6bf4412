public import Encoding

extension OIDCClient {
  /// Returns the claims of an ID token that keeps every rule of OpenID Connect Core 3.1.3.7.
  ///
  /// The signature is checked in every flow, also where the specification would let TLS vouch.
  /// With `maxAge` the token must say that the person signed in at most so many seconds ago. An
  /// access token that came with it is compared with the token's hash of it.
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

  // Rule 13. Some providers write the time with a fraction.
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
