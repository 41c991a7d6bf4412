public import Encoding

/// The public keys of a signer (RFC 7517 section 5), read once and kept ready for use.
public struct KeySet: Sendable {
  private let keys: [PublicKey]

  /// Reads a JWK set.
  ///
  /// Keys of unknown type and keys that are damaged or too weak are left out, as section 5 asks, so
  /// the set may be empty.
  public init(json: JSON) throws(JOSEError) {
    guard let members = json["keys"]?.array else {
      throw JOSEError(
        .malformedKeySet, "the key set has no list of keys",
        hint: "check that the address is that of a JWK set")
    }
    keys = members.compactMap { member in member.object.flatMap(PublicKey.init(jwk:)) }
  }

  /// Reads X.509 certificates in PEM by key name, as Google publishes the keys of its signers.
  ///
  /// Certificates that are damaged, and those of keys that are too weak or not RSA, are left out.
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

  /// Makes a set of the public halves of our own keys.
  public init(_ keys: [SigningKey]) {
    self.keys = keys.compactMap { PublicKey(jwk: $0.publicJWK) }
  }

  /// How many keys can be used.
  public var count: Int { keys.count }

  /// Whether a key of that name is there; when not, the signer may have published a new set.
  public func contains(keyID: String) -> Bool {
    keys.contains { $0.isNamed(keyID) }
  }

  /// The keys that may have signed a token of that algorithm.
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
