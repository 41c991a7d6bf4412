public import System

extension OIDCClient {
  /// Gets new tokens for a refresh token (OpenID Connect Core section 12).
  ///
  /// `previous` are the claims of the ID token issued with it: a new one must have the same subject
  /// and sign-in. A provider need not return an ID token.
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

  /// Section 12.2: some claims must be unchanged, others only if they are present.
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
    // auth_time should be unchanged as well, but some servers send that of the user's latest
    // sign-in. The subject is the same, so we accept that.
  }
}
