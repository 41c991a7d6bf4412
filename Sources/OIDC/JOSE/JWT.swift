public import System

/// A signed token in compact form (RFC 7519, RFC 7515 section 7.1).
///
/// Decoding checks the format only. Do not trust the claims until `verify` returns.
public struct JWT: Sendable {
  /// The header, which describes the signature.
  public let header: JSONObject
  /// The claims.
  public let claims: JSONObject

  private let signedText: [UInt8]
  private let signature: [UInt8]

  /// Parses a compact token.
  public init(decoding text: String) throws(JOSEError) {
    let bytes = Array(text.utf8)
    let parts = bytes.split(
      separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw Self.malformed("the token does not have three parts") }
    header = try Self.object(parts[0], "header")
    claims = try Self.object(parts[1], "claims")
    signature = try Self.decode(parts[2], "signature")
    signedText = Array(bytes[..<parts[1].endIndex])
  }

  /// The algorithm in the header, supported or not.
  public var algorithmName: String? { header["alg"]?.string }

  /// The key id in the header.
  public var keyID: String? { header["kid"]?.string }

  /// Throws unless a key in the set signed this token with an allowed algorithm.
  ///
  /// The key must have the type of the algorithm (RFC 8725 section 3.1), any `crit` is rejected
  /// (RFC 7515 section 4.1.11), and a token without `kid` is accepted only if the signer has a
  /// single key (OpenID Connect Core 1.0 section 10.1).
  public func verify(
    _ keys: KeySet, algorithms: Set<Algorithm> = [.rs256, .es256]
  ) throws(JOSEError) {
    guard let algorithm = algorithmName.flatMap(Algorithm.init), algorithms.contains(algorithm)
    else {
      throw JOSEError(
        .unsupportedAlgorithm, "the token is signed with an algorithm that is not allowed",
        hint: "have it signed with \(algorithms.map(\.rawValue).sorted().joined(separator: " or "))"
      )
    }
    guard header["crit"] == nil else {
      throw JOSEError(
        .criticalHeader, "the token demands an extension that is not known here",
        hint: "have it signed without a crit header")
    }
    let candidates = try keys.candidates(for: algorithm, keyID: try namedKey())
    guard candidates.contains(where: { $0.accepts(signature, of: signedText, by: algorithm) })
    else {
      throw JOSEError(
        .badSignature, "the token's signature does not fit its content",
        hint: "get a new token, and check that the keys are the signer's")
    }
  }

  private func namedKey() throws(JOSEError) -> String? {
    guard let name = header["kid"] else { return nil }
    guard let keyID = name.string else { throw Self.malformed("the token's kid is not a string") }
    return keyID
  }

  private static func object(
    _ part: ArraySlice<UInt8>, _ name: String
  ) throws(JOSEError) -> JSONObject {
    let bytes = try decode(part, name)
    do throws(JSONError) {
      // RFC 7515 section 4 and RFC 7519 section 4: duplicate names are rejected, because parsers
      // differ in which one they use.
      let json = try JSON.parse(bytes, maximumDepth: 64, refusesDuplicates: true)
      if let object = json.object { return object }
    } catch {
      guard error.message != JSONError.duplicateKey else {
        throw malformed("the token's \(name) has a name twice")
      }
      throw malformed("the token's \(name) is not JSON")
    }
    throw malformed("the token's \(name) is not a JSON object")
  }

  private static func decode(
    _ part: ArraySlice<UInt8>, _ name: String
  ) throws(JOSEError) -> [UInt8] {
    // RFC 7515 section 2: Base64URL without padding.
    guard part.last != UInt8(ascii: "="),
      let bytes = Base64URL.decode(String(decoding: part, as: UTF8.self))
    else { throw malformed("the token's \(name) is not base64url") }
    return bytes
  }

  private static func malformed(_ message: String) -> JOSEError {
    JOSEError(
      .malformedToken, message, hint: "pass the whole token as it was issued, and nothing else")
  }
}

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

/// Why a token or key was rejected; never quotes either.
public struct JOSEError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of errors.
  enum Code: String, Sendable, CaseIterable {
    /// The text is not three Base64URL parts with JSON objects in the first two.
    case malformedToken
    /// The token's algorithm is not allowed, which includes `none`.
    case unsupportedAlgorithm
    /// The token requires an extension with `crit`.
    case criticalHeader
    /// No key in the set matches the token.
    case unknownKey
    /// The token names no key, and several match.
    case ambiguousKey
    case badSignature
    /// A key cannot be read or must not be used.
    case malformedKey
    case malformedKeySet
    /// libcrypto failed at something that should always work.
    case internalFailure
  }

  /// The kind of error.
  let code: Code
  /// What happened, in lower case and without a period.
  public let message: String
  /// What to do about it.
  public let hint: String

  init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message and the hint.
  public var description: String { "\(message); \(hint)" }
}
