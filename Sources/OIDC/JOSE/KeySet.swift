import CShims
public import System

/// The public keys of a signer (RFC 7517 section 5), parsed once.
public struct KeySet: Sendable {
  private let keys: [PublicKey]

  /// Parses a JWK set.
  ///
  /// Keys of unknown type and keys that are damaged or too weak are skipped, as section 5 asks, so
  /// the set may be empty.
  init(json: JSON) throws(JOSEError) {
    guard let members = json["keys"]?.array else {
      throw JOSEError(
        .malformedKeySet, "the key set has no list of keys",
        hint: "check that the address is that of a JWK set")
    }
    keys = members.compactMap { member in member.object.flatMap(PublicKey.init(jwk:)) }
  }

  /// Parses X.509 certificates in PEM by key id, the format in which Google publishes its keys.
  ///
  /// Certificates that are damaged, or whose keys are too weak or not RSA, are skipped.
  public init(certificates json: JSON) throws(JOSEError) {
    guard let members = json.object else {
      throw JOSEError(
        .malformedKeySet, "the certificates are not a JSON object",
        hint: "check that the address is that of a signer's certificates")
    }
    keys = members.entries.compactMap { name, pem in
      pem.string.flatMap { PublicKey(certificate: $0, keyID: name) }
    }
  }

  /// Creates a set of the public halves of our own keys.
  public init(_ keys: [SigningKey]) {
    self.keys = keys.compactMap { PublicKey(jwk: $0.publicJWK) }
  }

  /// The number of usable keys.
  public var count: Int { keys.count }

  /// Whether the set has a key with that id; if not, the signer may have published a new set.
  public func contains(keyID: String) -> Bool {
    keys.contains { $0.isNamed(keyID) }
  }

  /// Returns the keys that may have signed a token with that algorithm.
  func candidates(for algorithm: Algorithm, keyID: String?) throws(JOSEError) -> [PublicKey] {
    let fitting = keys.filter { $0.fits(algorithm) }
    guard let keyID else {
      // OpenID Connect Core 1.0 section 10.1: a signer with several keys must name the one it used.
      guard keys.count < 2 else {
        throw JOSEError(
          .ambiguousKey, "the token names no key, and its signer has several",
          hint: "have the signer put a kid into the token's header")
      }
      return try nonEmpty(fitting)
    }
    return try nonEmpty(fitting.filter { $0.isNamed(keyID) })
  }

  private func nonEmpty(_ keys: [PublicKey]) throws(JOSEError) -> [PublicKey] {
    guard keys.isEmpty else { return keys }
    throw JOSEError(
      .unknownKey, "no key of the signer fits the token",
      hint: "load the signer's keys again; if that does not help, the token is from someone else")
  }
}

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

  /// Reads the RSA key of an X.509 certificate in PEM; nil when it cannot or must not be used.
  ///
  /// Name, dates and issuer of the certificate are ignored: the key is trusted because of where it was published.
  init?(certificate pem: String, keyID: String) {
    var pem = pem
    let key = pem.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        bytes.baseAddress.flatMap { luath_crypto_read_certificate($0, bytes.count) }
      }
    }
    guard let key else { return nil }
    let handle = KeyHandle(owning: key)
    guard let n = handle.rsaNumber("n"), let e = handle.rsaNumber("e") else { return nil }
    // Via a JWK, so that the same limits apply to both.
    self.init(jwk: [
      "kty": "RSA", "n": .string(Base64URL.encode(n)), "e": .string(Base64URL.encode(e)),
      "kid": .string(keyID), "alg": .string(Algorithm.rs256.rawValue),
    ])
  }
}

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
