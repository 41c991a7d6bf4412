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
