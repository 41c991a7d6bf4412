public import Encoding

extension OIDCClient {
  /// Returns the claims of an ID token that keeps every rule of OpenID Connect Core 3.1.3.7.
  ///
  /// The signature is checked in every flow, also where the specification would let TLS vouch.
  public func verify(
    _ idToken: Secret, nonce: IDTokenRules.NonceRule
  ) async throws(OIDCError) -> JSONObject {
    let jwt: JWT
    do throws(JOSEError) {
      jwt = try JWT(decoding: idToken.reveal())
    } catch {
      throw OIDCError(error)
    }
    try await keys.verify(jwt)
    try IDTokenRules(
      issuer: metadata.issuer, audience: credentials.id, nonce: nonce, now: now(),
      leeway: settings.leeway
    ).check(jwt)
    return jwt.claims
  }
}
