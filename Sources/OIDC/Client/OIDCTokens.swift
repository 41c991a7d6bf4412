public import System

/// The tokens of a user, with a verified ID token.
public struct OIDCTokens: Sendable {
  /// The provider's response.
  public let response: TokenResponse
  /// The claims of the ID token; nil when there is none, which is possible for a refresh only.
  public let claims: JSONObject?
  /// The nonce whose hash is in the ID token, which Firebase requires.
  public let rawNonce: Secret?

  init(_ response: TokenResponse, claims: JSONObject?, rawNonce: Secret? = nil) {
    self.response = response
    self.claims = claims
    self.rawNonce = rawNonce
  }
}
