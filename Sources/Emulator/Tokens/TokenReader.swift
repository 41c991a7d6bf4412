internal import System

/// Reads the claims of tokens without checking signatures, and caches the last one: routing and the
/// operation both read the token of a request.
struct TokenReader {
  private var last: (token: ExactString, claims: JSONObject?)?

  mutating func claims(of token: String) -> JSONObject? {
    let token = ExactString(string: token)
    if let last, last.token == token { return last.claims }
    let claims = UnsignedToken.claims(of: token.string)
    last = (token, claims)
    return claims
  }
}
