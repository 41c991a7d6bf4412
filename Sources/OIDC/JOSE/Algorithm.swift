/// The supported signature algorithms (RFC 7518 section 3.1), all asymmetric.
///
/// `none` and the HMAC family have no case, so no list of allowed algorithms can contain them.
public enum Algorithm: String, Sendable, CaseIterable {
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = "RS256"
  /// RSASSA-PKCS1-v1_5 with SHA-384.
  case rs384 = "RS384"
  /// RSASSA-PKCS1-v1_5 with SHA-512.
  case rs512 = "RS512"
  /// RSASSA-PSS with SHA-256.
  case ps256 = "PS256"
  /// RSASSA-PSS with SHA-384.
  case ps384 = "PS384"
  /// RSASSA-PSS with SHA-512.
  case ps512 = "PS512"
  /// ECDSA on P-256 with SHA-256.
  case es256 = "ES256"
  /// ECDSA on P-384 with SHA-384.
  case es384 = "ES384"
  /// ECDSA on P-521 with SHA-512.
  case es512 = "ES512"

  /// The curve of its keys; nil for RSA.
  var curve: Curve? {
    switch self {
    case .es256: .p256
    case .es384: .p384
    case .es512: .p521
    default: nil
    }
  }

  var isPSS: Bool { [.ps256, .ps384, .ps512].contains(self) }

  /// The name of its hash function, also used for the hashes in an ID token.
  var digestName: String { "SHA\(rawValue.dropFirst(2))" }
}

/// The elliptic curves of JOSE (RFC 7518 section 6.2.1.1).
enum Curve: String, CaseIterable {
  case p256 = "P-256"
  case p384 = "P-384"
  case p521 = "P-521"

  /// libcrypto's name of the curve.
  var group: String {
    switch self {
    case .p256: "prime256v1"
    case .p384: "secp384r1"
    case .p521: "secp521r1"
    }
  }

  /// The length in bytes of a coordinate, and of each half of a signature.
  var size: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    case .p521: 66
    }
  }
}
