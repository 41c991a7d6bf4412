internal import Encoding

/// Reads the claims of tokens that nobody signed, and remembers the last one: routing and operation both
/// read the token of a request.
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
