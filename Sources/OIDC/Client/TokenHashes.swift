public import System

/// Checks the hashes in an ID token (OpenID Connect Core sections 3.1.3.6 and 3.3.2.11).
public struct TokenHashes: Sendable {
  /// The access token issued with it, for `at_hash`.
  public var accessToken: Secret?
  /// The code issued with it, for `c_hash`.
  var code: Secret?
  /// Whether `c_hash` is required, as for a code that came through the browser.
  var mustHaveCode: Bool

  /// Creates a check; nil for what was not issued with the ID token.
  public init(accessToken: Secret? = nil, code: Secret? = nil, mustHaveCode: Bool = false) {
    self.accessToken = accessToken
    self.code = code
    self.mustHaveCode = mustHaveCode
  }

  /// Throws unless present hashes match and a required one is present.
  public func check(_ jwt: JWT) throws(OIDCError) {
    try check("at_hash", accessToken, jwt, required: false)
    try check("c_hash", code, jwt, required: mustHaveCode)
  }

  private func check(
    _ name: String, _ value: Secret?, _ jwt: JWT, required: Bool
  ) throws(OIDCError) {
    guard let value else { return }
    guard let claim = jwt.claims[name] else {
      if required { throw Self.failure("the ID token has no \(name) for its code") }
      return
    }
    // The left half of the hash, with the hash function of the signature's algorithm.
    let function = jwt.algorithmName.flatMap(Algorithm.init)?.digestName ?? "SHA256"
    let hash = Digest.hash(Array(value.reveal().utf8), function)
    guard let text = claim.string,
      constantTimeEqual(text, Base64URL.encode(Array(hash.prefix(hash.count / 2))))
    else {
      throw Self.failure("the ID token's \(name) is not that of what it came with")
    }
  }

  private static func failure(_ message: String) -> OIDCError {
    OIDCError(
      .wrongHash, message,
      hint: "begin the sign-in again; a code or token of another sign-in may have been slipped in")
  }
}
