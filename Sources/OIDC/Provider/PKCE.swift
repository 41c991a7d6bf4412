public import System

/// Proves that the client redeeming a code is the one that requested it (RFC 7636), with S256 only.
public struct PKCE: Sendable {
  /// The secret that the client keeps until it redeems the code.
  public let verifier: Secret
  /// The hash that the client sends when it requests the code.
  public let challenge: String

  /// Creates a random pair.
  public init() {
    self.init(verifier: Secret(SecureRandom.token(bytes: 32)))
  }

  /// Creates the pair of a known verifier.
  init(verifier: Secret) {
    self.verifier = verifier
    challenge = Base64URL.encode(Digest.sha256(Array(verifier.reveal().utf8)))
  }

  /// Whether the verifier matches the challenge (section 4.6).
  ///
  /// False for a verifier that violates section 4.1, which requires 43 to 128 unreserved characters.
  public static func matches(verifier: String, challenge: String) -> Bool {
    guard (43...128).contains(verifier.utf8.count),
      PercentEncoding.encode(verifier).utf8.elementsEqual(verifier.utf8)
    else { return false }
    return constantTimeEqual(PKCE(verifier: Secret(verifier)).challenge, challenge)
  }
}
