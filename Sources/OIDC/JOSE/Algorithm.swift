/// The signature algorithms this room knows (RFC 7518 section 3.1), all asymmetric.
///
/// There is no case for `none` or the HMAC family, so no list of allowed algorithms can admit them.
public enum Algorithm: String, Sendable, CaseIterable {
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = "RS256"
  /// ECDSA on P-256 with SHA-256.
  case es256 = "ES256"

  /// The hash function it signs, which an ID token's own hashes use too.
  var digest: DigestFunction { .sha256 }

  /// The `kty` a key must have for this algorithm.
  var keyType: String {
    switch self {
    case .rs256: "RSA"
    case .es256: "EC"
    }
  }
}
