public import Encoding

extension OIDCClient {
  /// Gets new tokens for a refresh token (OpenID Connect Core section 12).
  ///
  /// `previous` are the claims of the ID token it came with: a new one must be about the same
  /// person and sign-in. A provider need not give one.
  public func refresh(
    _ refreshToken: Secret, previous: JSONObject? = nil
  ) async throws(OIDCError) -> OIDCTokens {
    let response = try await RefreshTokenExchange(
      tokenEndpoint: metadata.tokenEndpoint, client: credentials, refreshToken: refreshToken
    ).tokens(over: transport)
    guard let idToken = response.idToken else { return OIDCTokens(response, claims: nil) }
    let claims = try await verify(idToken, nonce: .unchecked, accessToken: response.accessToken)
    if let previous { try Self.check(claims, against: previous) }
    return OIDCTokens(response, claims: claims)
  }

  /// Section 12.2: what must be as it was, and what must be if it is there.
  private static func check(_ claims: JSONObject, against previous: JSONObject) throws(OIDCError) {
    guard claims["iss"] == previous["iss"], claims["sub"] == previous["sub"] else {
      throw .anotherPerson("the new ID token")
    }
    if let nonce = claims["nonce"], nonce != previous["nonce"] {
      throw OIDCError(
        .wrongNonce, "the new ID token's nonce is not that of the sign-in",
        hint: "begin the sign-in again")
    }
    if let party = claims["azp"], let before = previous["azp"], party != before {
      throw OIDCError(
        .wrongAudience, "the new ID token is for another client than the first",
        hint: "begin the sign-in again")
    }
    // Its auth_time should be the first one's, too, but servers are seen that name the latest sign-in
    // of that person instead. The subject is the same, so nothing is lost by it.
  }
}
