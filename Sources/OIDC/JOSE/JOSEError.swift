/// Why a token or key was refused; never quotes either.
public struct JOSEError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of refusal.
  public enum Code: String, Sendable, CaseIterable {
    /// The text is not three base64url parts with JSON objects in the first two.
    case malformedToken
    /// The token's algorithm is not on the list, `none` included.
    case unsupportedAlgorithm
    /// The token demands an extension with `crit`.
    case criticalHeader
    /// No key of the set fits the token.
    case unknownKey
    /// The token names no key and several fit.
    case ambiguousKey
    /// The signature is not the key's.
    case badSignature
    /// A key cannot be read or may not be used.
    case malformedKey
    /// The text is not a JWK set.
    case malformedKeySet
    /// libcrypto failed at something that should always work.
    case internalFailure
  }

  /// The kind of refusal.
  public let code: Code
  /// What happened, in lower case and without a full stop.
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
