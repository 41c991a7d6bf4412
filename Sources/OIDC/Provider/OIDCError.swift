/// Why a sign-in with an OpenID provider failed; never quotes a token, code or secret.
public struct OIDCError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: String, Sendable, CaseIterable {
    /// An address is not an absolute https address, or http on this machine.
    case unusableAddress
    /// The provider could not be reached.
    case transport
    /// The provider answered, but not with what the specification asks for.
    case unexpectedAnswer
    /// The provider's own description names another issuer than the one asked.
    case issuerMismatch
    /// The token endpoint refused; `providerError` has its word for it.
    case refused
    /// The ID token's signature or shape was refused.
    case badSignature
    /// The ID token lacks a claim, or has one of the wrong type.
    case malformedClaims
    /// The ID token is from another issuer.
    case wrongIssuer
    /// The ID token is for another client.
    case wrongAudience
    /// The ID token answers another request.
    case wrongNonce
    /// The ID token is no longer valid.
    case expired
    /// The ID token is not valid yet, or is from the future.
    case notYetValid
  }

  /// The kind of failure.
  public let code: Code
  /// What happened, in lower case and without a full stop.
  public let message: String
  /// What to do about it.
  public let hint: String
  /// The token endpoint's error name, such as `invalid_grant` (RFC 6749 section 5.2).
  public let providerError: String?

  init(_ code: Code, _ message: String, hint: String, providerError: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.providerError = providerError
  }

  /// The message and the hint.
  public var description: String { "\(message); \(hint)" }
}
