internal import Encoding
internal import OIDC

/// Tokens as Firebase's emulator makes them: JWTs that nobody signed (RFC 7519 section 6).
enum UnsignedToken {
  private static let header = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))

  static func make(_ claims: JSONObject) -> String {
    "\(header).\(Base64URL.encode(JSON.object(claims).encodedBytes()))."
  }

  /// The claims of a token, whoever signed it; nil when it is no JWT.
  static func claims(of token: String) -> JSONObject? {
    // By bytes: splitting a long text by characters takes longer than all the rest.
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = object(parts[0]), header["alg"] != nil else { return nil }
    return object(parts[1])
  }

  private static func object(_ part: Substring.UTF8View) -> JSONObject? {
    guard let bytes = Base64URL.decode(String(Substring(part))), let json = try? JSON.parse(bytes)
    else {
      return nil
    }
    return json.object
  }
}
