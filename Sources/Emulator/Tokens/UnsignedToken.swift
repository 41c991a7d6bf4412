internal import Encoding
internal import OIDC

/// Tokens as Firebase's emulator makes them: JWTs that nobody signed (RFC 7519 section 6).
enum UnsignedToken {
  private static let header = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))

  static func make(_ claims: JSONObject) -> String {
    "\(header).\(ScriptNumber.rewritten(.object(claims)).encodedBase64URL())."
  }

  /// The claims of a token, whoever signed it; nil when it is no JWT.
  static func claims(of token: String) -> JSONObject? { payload(of: token)?.object }

  /// What a token says, whoever signed it and whatever its header holds; nil when it is no JWT.
  ///
  /// The library of Firebase's emulator looks at nothing but the digits of the three parts. It takes a
  /// payload that is no JSON for a text, unless the header calls the token a JWT.
  static func payload(of token: String) -> JSON? {
    // By bytes: splitting a long text by characters takes longer than all the rest.
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty,
      parts.allSatisfy({ $0.allSatisfy(isDigit) })
    else { return nil }
    var isTyped = true
    if !parts[0].elementsEqual(header.utf8) {
      // The library reads each byte of the header as one character.
      let text = String(String.UnicodeScalarView(bytes(of: parts[0]).map { Unicode.Scalar($0) }))
      guard let header = ScriptValue.parse(text), ScriptValue.isTrue(header) else { return nil }
      isTyped = header["typ"]?.string == "JWT"
    }
    let bytes = bytes(of: parts[1])
    if let json = try? ScriptValue.parse(bytes) { return json }
    // Bytes that are no UTF-8 become replacement characters.
    return isTyped ? nil : .string(String(decoding: bytes, as: UTF8.self))
  }

  private static func bytes(of part: Substring.UTF8View) -> [UInt8] {
    let text = String(Substring(part))
    return Base64URL.decode(text) ?? Base64.decodeLeniently(text)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
