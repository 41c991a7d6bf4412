import CShims
import System

/// A verification key.
struct PublicKey: Sendable {
  let keyID: String?
  /// The curve of the key; nil for RSA.
  private let curve: Curve?
  /// The only algorithm it may be used with, if it names one.
  private let algorithm: Algorithm?
  private let handle: KeyHandle

  /// Reads a JWK; nil when it cannot or must not be used to verify with a supported algorithm.
  init?(jwk: JSONObject) {
    let key: OpaquePointer?
    switch jwk["kty"]?.string {
    case "RSA"?:
      curve = nil
      key = Self.rsaKey(jwk)
    case "EC"?:
      guard let curve = jwk["crv"]?.string.flatMap(Curve.init) else { return nil }
      self.curve = curve
      key = Self.key(jwk, on: curve)
    default: return nil
    }
    guard let key else { return nil }
    handle = KeyHandle(owning: key)
    keyID = jwk["kid"]?.string
    algorithm = jwk["alg"]?.string.flatMap(Algorithm.init)
    guard Self.allowsVerifying(jwk) else { return nil }
    // RFC 7517 section 4.4: a key for another purpose must not be used.
    guard jwk["alg"] == nil || algorithm.map({ $0.curve == curve }) == true else { return nil }
  }

  func fits(_ algorithm: Algorithm) -> Bool {
    algorithm.curve == curve && (self.algorithm == nil || self.algorithm == algorithm)
  }

  func isNamed(_ name: String) -> Bool {
    keyID.map { ExactString($0) == ExactString(name) } ?? false
  }

  /// Whether the key made the signature of the text; the algorithm must fit the key.
  func accepts(_ signature: [UInt8], of text: [UInt8], by algorithm: Algorithm) -> Bool {
    guard let curve else {
      return luath_crypto_verify(
        handle.pointer, algorithm.digestName, algorithm.isPSS ? 1 : 0, signature, signature.count,
        text, text.count) == 1
    }
    // RFC 7518 section 3.4: r and s, each as long as a coordinate.
    return signature.count == 2 * curve.size
      && luath_crypto_verify_ec(
        handle.pointer, algorithm.digestName, signature, curve.size, text, text.count) == 1
  }

  /// RFC 7517 sections 4.2 and 4.3: the key's intended use is binding.
  private static func allowsVerifying(_ jwk: JSONObject) -> Bool {
    if let use = jwk["use"], use != "sig" { return false }
    if let operations = jwk["key_ops"], operations.array?.contains("verify") != true {
      return false
    }
    return true
  }

  private static func rsaKey(_ jwk: JSONObject) -> OpaquePointer? {
    guard let n = number(jwk["n"]), let e = number(jwk["e"]) else { return nil }
    // RFC 7518 section 3.3 requires at least 2048 bits; the upper limits prevent that a malicious
    // key set causes minutes of computation. A valid RSA exponent is odd and greater than 1.
    guard (2048...8192).contains(bitCount(n)), e.count <= 8, let last = e.last, last & 1 == 1,
      e != [1]
    else { return nil }
    return luath_crypto_rsa_key(n, n.count, e, e.count)
  }

  private static func key(_ jwk: JSONObject, on curve: Curve) -> OpaquePointer? {
    guard let x = jwk["x"]?.string.flatMap(Base64URL.decode),
      let y = jwk["y"]?.string.flatMap(Base64URL.decode), x.count == curve.size,
      y.count == curve.size
    else { return nil }
    return luath_crypto_ec_key(curve.group, x, y, curve.size)
  }

  /// Parses a big-endian number without the leading zeros that some signers add.
  private static func number(_ json: JSON?) -> [UInt8]? {
    guard let bytes = json?.string.flatMap(Base64URL.decode) else { return nil }
    let digits = Array(bytes.drop { $0 == 0 })
    return digits.isEmpty ? nil : digits
  }

  private static func bitCount(_ number: [UInt8]) -> Int {
    number.count * 8 - (number.first?.leadingZeroBitCount ?? 0)
  }
}
