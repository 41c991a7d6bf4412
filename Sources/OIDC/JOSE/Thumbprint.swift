import System

/// The id of a key derived from its content (RFC 7638).
enum Thumbprint {
  /// Returns the SHA-256 of the required members of an RSA or EC key as Base64URL.
  static func sha256(of jwk: JSONObject) throws(JOSEError) -> String {
    let names: [String]
    switch jwk["kty"]?.string {
    case "RSA": names = ["e", "kty", "n"]
    case "EC": names = ["crv", "kty", "x", "y"]
    default: throw malformed("the key is neither RSA nor EC")
    }
    var required = JSONObject()
    for name in names {
      guard let value = jwk[name], value.string != nil else {
        throw malformed("the key lacks the member \(name)")
      }
      required[name] = value
    }
    // Section 3.3: the members in this order, in one line.
    return Base64URL.encode(Digest.sha256(JSON.object(required).encodedBytes()))
  }

  private static func malformed(_ message: String) -> JOSEError {
    JOSEError(.malformedKey, message, hint: "pass the public key as a JWK")
  }
}
