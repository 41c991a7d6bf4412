public import System

extension OIDCClient {
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
}
