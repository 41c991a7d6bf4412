public import System

/// The response of a token endpoint (RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3).
public struct TokenResponse: Sendable {
  /// The ID token, unverified.
  public let idToken: Secret?
  /// The token for the provider's own APIs.
  public let accessToken: Secret?
  /// The token to get new tokens.
  public let refreshToken: Secret?
  /// The lifetime of the access token in seconds.
  public let expiresIn: Int64?
  /// The granted scopes; nil when they are the requested ones.
  public let scope: String?
  /// The type of the access token; `Bearer` by default.
  public let tokenType: String
  /// All other members, such as a provider's own user identifier.
  let others: JSONObject

  /// Creates a response with an ID token that did not come from a token endpoint.
  init(idToken: Secret?, others: JSONObject) {
    self.idToken = idToken
    accessToken = nil
    refreshToken = nil
    expiresIn = nil
    scope = nil
    tokenType = "Bearer"
    self.others = others
  }

  /// Parses the response of a token endpoint, which must contain a token.
  init(json: JSON) throws(OIDCError) {
    func text(_ name: String) -> String? {
      guard let value = json[name]?.string, !value.isEmpty else { return nil }
      return value
    }
    idToken = text("id_token").map(Secret.init)
    accessToken = text("access_token").map(Secret.init)
    refreshToken = text("refresh_token").map(Secret.init)
    // Some servers send the lifetime as a string.
    expiresIn = json["expires_in"]?.integer ?? json["expires_in"]?.string.flatMap { Int64($0) }
    scope = text("scope")
    tokenType = text("token_type") ?? "Bearer"
    var others = json.object ?? [:]
    for name in [
      "id_token", "access_token", "refresh_token", "expires_in", "scope", "token_type",
    ] { others[name] = nil }
    self.others = others
    guard idToken != nil || accessToken != nil else {
      throw OIDCError(
        .unexpectedAnswer, "the token endpoint answers without a token",
        hint: "check the token endpoint's address")
    }
    // RFC 6749 section 7.1: a token of unknown type must not be used.
    guard accessToken == nil || tokenType.lowercased() == "bearer" else {
      throw OIDCError(
        .unexpectedAnswer, "the token endpoint gives an access token of another type than Bearer",
        hint: "have the client registered for Bearer tokens; no others are used here")
    }
  }
}
