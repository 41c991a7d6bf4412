public import Encoding

extension OIDCClient {
  /// Which token one is.
  public enum TokenKind: String, Sendable, CaseIterable {
    /// Ends what it allows.
    case accessToken = "access_token"
    /// Ends it and every token made with it.
    case refreshToken = "refresh_token"
  }

  /// Has the provider forget a token (RFC 7009); one it does not know is no error.
  public func revoke(_ token: Secret, kind: TokenKind? = nil) async throws(OIDCError) {
    let url = try endpoint("revocation_endpoint", for: "revocation of tokens")
    var fields = [("token", token.reveal())]
    if let kind { fields.append(("token_type_hint", kind.rawValue)) }
    _ = try await ClientEndpoint(url: url, client: credentials, does: "revoke a token")
      .answer(to: fields, secrets: [token], over: transport)
  }
}
