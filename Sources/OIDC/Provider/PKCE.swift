public import Encoding

/// Proof that the one who redeems a code is the one who asked for it (RFC 7636), with S256 only.
public struct PKCE: Sendable {
  /// What the client keeps until it redeems the code.
  public let verifier: Secret
  /// What the client shows when it asks for the code.
  public let challenge: String

  /// Makes a fresh random pair.
  public init() {
    self.init(verifier: Secret(SecureRandom.token(bytes: 32)))
  }

  /// Makes the pair of a verifier that is already known.
  public init(verifier: Secret) {
    self.verifier = verifier
    challenge = Base64URL.encode(Digest.sha256(Array(verifier.reveal().utf8)))
  }

  /// Whether the verifier belongs to the challenge (section 4.6).
  ///
  /// A verifier that breaks the rules of section 4.1, 43 to 128 unreserved characters, never does.
  public static func matches(verifier: String, challenge: String) -> Bool {
    guard (43...128).contains(verifier.utf8.count),
      PercentEncoding.encode(verifier).utf8.elementsEqual(verifier.utf8)
    else { return false }
    return constantTimeEqual(PKCE(verifier: Secret(verifier)).challenge, challenge)
  }
}
