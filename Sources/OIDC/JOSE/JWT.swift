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
