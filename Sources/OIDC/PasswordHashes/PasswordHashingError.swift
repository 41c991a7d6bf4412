/// Why the description of a password hash in a request was refused; never quotes keys.
public struct PasswordHashingError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of refusal, each with the name of its error on the wire.
  ///
  /// The names are those of Firebase's Admin SDKs (their `AuthClientErrorCode`), which check the
  /// same fields; `INVALID_HASH_ROUNDS` is also known from the server.
  public enum Code: String, Sendable, CaseIterable {
    /// There is no algorithm.
    case missingAlgorithm = "MISSING_HASH_ALGORITHM"
    /// The algorithm is not one of Firebase's.
    case invalidAlgorithm = "INVALID_HASH_ALGORITHM"
    /// The signer key is missing or not base 64.
    case invalidKey = "INVALID_HASH_KEY"
    /// The rounds or iterations are missing or out of range.
    case invalidRounds = "INVALID_HASH_ROUNDS"
    /// The memory cost is missing or out of range.
    case invalidMemoryCost = "INVALID_HASH_MEMORY_COST"
    /// The parallelization is missing or out of range.
    case invalidParallelization = "INVALID_HASH_PARALLELIZATION"
    /// The block size is missing or out of range.
    case invalidBlockSize = "INVALID_HASH_BLOCK_SIZE"
    /// The length of the hash is missing or out of range.
    case invalidDerivedKeyLength = "INVALID_HASH_DERIVED_KEY_LENGTH"
    /// The salt separator is not base 64.
    case invalidSaltSeparator = "INVALID_HASH_SALT_SEPARATOR"
    /// A field holds none of its names, or something of another type.
    case invalidArgument = "INVALID_ARGUMENT"
  }

  /// The kind of refusal; its raw value is the name on the wire.
  public let code: Code
  /// The field of the request that is at fault.
  public let field: String
  /// What happened, in lower case and without a full stop.
  public let message: String

  init(_ code: Code, field: String, _ message: String) {
    self.code = code
    self.field = field
    self.message = message
  }

  /// The field and what is wrong with it.
  public var description: String { "\(field) \(message)" }
}
