public import Encoding

/// The tokens of one person, with an ID token that was checked.
public struct OIDCTokens: Sendable {
  /// What the provider gave.
  public let response: TokenResponse
  /// The claims of the ID token; nil when the provider gave none, which only a refresh may do.
  public let claims: JSONObject?
  /// The nonce whose hash the ID token carries, for those who ask for it, as Firebase does.
  public let rawNonce: Secret?

  init(_ response: TokenResponse, claims: JSONObject?, rawNonce: Secret? = nil) {
    self.response = response
    self.claims = claims
    self.rawNonce = rawNonce
  }
}
