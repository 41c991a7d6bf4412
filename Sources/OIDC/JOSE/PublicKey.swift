import CShims
import Encoding

/// One verification key of a set.
struct PublicKey: Sendable {
  let keyID: String?
  private let algorithm: Algorithm
  private let handle: KeyHandle

  /// Reads a JWK; nil when it cannot or must not be used to verify RS256 or ES256.
  init?(jwk: JSONObject) {
    guard let algorithm = Algorithm.allCases.first(where: { jwk["kty"] == .string($0.keyType) }),
      Self.allowsVerifying(jwk, with: algorithm)
    else { return nil }
    let key =
      switch algorithm {
      case .rs256: Self.rsaKey(jwk)
      case .es256: Self.p256Key(jwk)
      }
    guard let key else { return nil }
    handle = KeyHandle(owning: key)
    self.algorithm = algorithm
    keyID = jwk["kid"]?.string
  }

  func fits(_ algorithm: Algorithm) -> Bool { self.algorithm == algorithm }

  func isNamed(_ name: String) -> Bool {
    keyID.map { ExactString($0) == ExactString(name) } ?? false
  }

  func accepts(_ signature: [UInt8], of text: [UInt8]) -> Bool {
    switch algorithm {
    case .rs256:
      luath_crypto_verify(handle.pointer, signature, signature.count, text, text.count) == 1
    case .es256:
      // RFC 7518 section 3.4: r and s, 32 bytes each, and nothing else.
      signature.count == 64
        && luath_crypto_verify_p256(handle.pointer, signature, text, text.count) == 1
    }
  }

  /// RFC 7517 sections 4.2 to 4.4: what a key says about its use binds.
  private static func allowsVerifying(_ jwk: JSONObject, with algorithm: Algorithm) -> Bool {
    if let use = jwk["use"], use != "sig" { return false }
    if let operations = jwk["key_ops"], operations.array?.contains("verify") != true {
      return false
    }
    if let name = jwk["alg"], name != .string(algorithm.rawValue) { return false }
    return true
  }

  private static func rsaKey(_ jwk: JSONObject) -> OpaquePointer? {
    guard let n = number(jwk["n"]), let e = number(jwk["e"]) else { return nil }
    // RFC 7518 section 3.3 asks for 2048 bits or more; the upper bounds keep a hostile key set from
    // buying minutes of arithmetic. An even exponent, or 1, belongs to no RSA key.
    guard (2048...8192).contains(bitCount(n)), e.count <= 8, let last = e.last, last & 1 == 1,
      e != [1]
    else { return nil }
    return luath_crypto_rsa_key(n, n.count, e, e.count)
  }

  private static func p256Key(_ jwk: JSONObject) -> OpaquePointer? {
    guard jwk["crv"] == "P-256", let x = jwk["x"]?.string.flatMap(Base64URL.decode),
      let y = jwk["y"]?.string.flatMap(Base64URL.decode), x.count == 32, y.count == 32
    else { return nil }
    return luath_crypto_p256_key(x, y)
  }

  /// A big-endian number without the leading zeros that some signers add.
  private static func number(_ json: JSON?) -> [UInt8]? {
    guard let bytes = json?.string.flatMap(Base64URL.decode) else { return nil }
    let digits = Array(bytes.drop { $0 == 0 })
    return digits.isEmpty ? nil : digits
  }

  private static func bitCount(_ number: [UInt8]) -> Int {
    number.count * 8 - (number.first?.leadingZeroBitCount ?? 0)
  }
}
