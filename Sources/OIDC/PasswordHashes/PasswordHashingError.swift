/// Why the description of a password hash in a request was refused; never quotes keys.
public struct PasswordHashingError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of refusal, each with the name of its error on the wire.
  ///
  /// The names were measured at Google's servers; those of fields that the servers did not refuse are
  /// names of Firebase's Admin SDKs (their `AuthClientErrorCode`).
  public enum Code: String, Sendable, CaseIterable {
    /// There is no algorithm.
    case missingAlgorithm = "MISSING_HASH_ALGORITHM"
    /// The algorithm is not one of Firebase's.
    case invalidAlgorithm = "INVALID_HASH_ALGORITHM"
    /// The signer key is missing.
    case emptyKey = "EMPTY_HASH_KEY"
    /// The signer key is not base 64.
    case invalidKey = "INVALID_HASH_KEY"
    /// The rounds or iterations are missing or out of range.
    case invalidRounds = "INVALID_HASH_ROUNDS"
    /// The memory cost is missing or out of range.
    case invalidMemoryCost = "INVALID_HASH_MEMORY_COSTS"
    /// A parameter of standard scrypt is missing or out of range.
    case invalidParameter = "INVALID_HASH_PARAMETER"
    /// Argon2's memory cost is missing or out of range.
    case invalidArgon2MemoryCost = "INVALID_ARGON2_MEMORY_COST"
    /// Argon2's iterations are missing or out of range.
    case invalidArgon2Iterations = "INVALID_ARGON2_ITERATIONS"
    /// Argon2's parallelism is missing or out of range.
    case invalidArgon2Parallelism = "INVALID_ARGON2_PARALLELISM"
    /// Argon2's variant is missing.
    case invalidArgon2HashType = "INVALID_ARGON2_HASH_TYPE"
    /// The length of an Argon2 hash is out of range.
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
