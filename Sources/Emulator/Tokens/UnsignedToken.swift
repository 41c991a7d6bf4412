internal import System
internal import OIDC

/// The tokens of Firebase's emulator: unsigned JWTs (RFC 7519 section 6).
enum UnsignedToken {
  private static let header = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))

  static func make(_ claims: JSONObject) -> String {
    "\(header).\(ScriptNumber.rewritten(.object(claims)).encodedBase64URL())."
  }

  /// The claims of a token, without a check of its signature; nil if it is not a JWT.
  static func claims(of token: String) -> JSONObject? { payload(of: token)?.object }

  /// The payload of a token, without a check of its signature; nil if it is not a JWT.
  ///
  /// The library of Firebase's emulator checks only the digits of the three parts. It reads a payload that is not JSON
  /// as a string, unless the header's `typ` is `JWT`.
  static func payload(of token: String) -> JSON? {
    // Split by bytes: splitting a long text by characters takes longer than all the rest.
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
    // Invalid UTF-8 becomes replacement characters.
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
