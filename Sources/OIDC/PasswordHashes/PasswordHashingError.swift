/// Why the description of a password hash in a request was rejected; never quotes keys.
public struct PasswordHashingError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of errors, with their names in Firebase's API.
  ///
  /// The names were measured at Google's servers; for fields that the servers did not reject, they
  /// are those of Firebase's Admin SDKs (`AuthClientErrorCode`).
  public enum Code: String, Sendable, CaseIterable {
    case missingAlgorithm = "MISSING_HASH_ALGORITHM"
    /// Firebase does not support the algorithm.
    case invalidAlgorithm = "INVALID_HASH_ALGORITHM"
    /// The signer key is missing.
    case emptyKey = "EMPTY_HASH_KEY"
    /// The signer key is not Base64.
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
    /// The salt separator is not Base64.
    case invalidSaltSeparator = "INVALID_HASH_SALT_SEPARATOR"
    /// A field has an unknown name or the wrong type.
    case invalidArgument = "INVALID_ARGUMENT"
  }

  /// The kind of error; its raw value is the name in the API.
  public let code: Code
  /// The invalid field of the request.
  public let field: String
  /// What happened, in lower case and without a period.
  public let message: String

  init(_ code: Code, field: String, _ message: String) {
    self.code = code
    self.field = field
    self.message = message
  }

  /// The field and what is wrong with it.
  public var description: String { "\(field) \(message)" }
}
