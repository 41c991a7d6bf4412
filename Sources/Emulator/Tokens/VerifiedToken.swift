internal import Encoding

/// What a valid Firebase ID token says about its bearer.
struct VerifiedToken {
  let account: Account
  /// Seconds since 1970 when the person last proved who they are.
  let authTime: Int64
  let signInProvider: String
  /// Claims that came with a custom token and go on to the next token.
  let extraClaims: JSONObject
}
