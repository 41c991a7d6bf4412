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
