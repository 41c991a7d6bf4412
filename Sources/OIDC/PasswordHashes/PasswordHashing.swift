import CCrypto
public import System

/// A password hash algorithm with its parameters.
///
/// These are the algorithms of Firebase's user import (accounts:batchCreate). Parameters outside
/// its documented limits are rejected, so that no import makes a sign-in take minutes or gigabytes.
public struct PasswordHashing: Sendable, Equatable {
  // On the heap, where the many hashes of one import share it.
  private indirect enum Method: Sendable, Equatable {
    case digest(SaltedDigest)
    case hmac(SaltedHMAC)
    case pbkdf2(PBKDF2)
    case firebaseScrypt(FirebaseScrypt)
    case scrypt(Scrypt)
    case bcrypt
    case argon2(Argon2)
  }

  private let method: Method

  /// Parses the hash fields of an `UploadAccountRequest`; ignores other fields.
  ///
  /// Bytes may be Base64 in either alphabet, with or without padding.
  public init(wire request: JSONObject) throws(PasswordHashingError) {
    let fields = HashFields(request)
    let algorithm = request["hashAlgorithm"] ?? nil
    guard algorithm != nil, algorithm != .string("") else {
      throw PasswordHashingError(
        .missingAlgorithm, field: "hashAlgorithm", "must name the algorithm of the password hashes")
    }
    switch algorithm.string {
    case "MD5": method = .digest(try SaltedDigest(.md5, fields))
    case "SHA1": method = .digest(try SaltedDigest(.sha1, fields))
    case "SHA256": method = .digest(try SaltedDigest(.sha256, fields))
    case "SHA512": method = .digest(try SaltedDigest(.sha512, fields))
    case "HMAC_MD5": method = .hmac(try SaltedHMAC(.md5, fields))
    case "HMAC_SHA1": method = .hmac(try SaltedHMAC(.sha1, fields))
    case "HMAC_SHA256": method = .hmac(try SaltedHMAC(.sha256, fields))
    case "HMAC_SHA512": method = .hmac(try SaltedHMAC(.sha512, fields))
    case "PBKDF_SHA1": method = .pbkdf2(try PBKDF2("PBKDF_SHA1", .sha1, fields))
    case "PBKDF2_SHA256": method = .pbkdf2(try PBKDF2("PBKDF2_SHA256", .sha256, fields))
    case "SCRYPT": method = .firebaseScrypt(try FirebaseScrypt(wire: request))
    case "STANDARD_SCRYPT": method = .scrypt(try Scrypt(fields))
    case "BCRYPT": method = .bcrypt
    case "ARGON2": method = .argon2(try Argon2(fields))
    default:
      throw PasswordHashingError(
        .invalidAlgorithm, field: "hashAlgorithm", "is none of the algorithms Firebase imports")
    }
  }

  /// Creates the algorithm for a project's own passwords.
  public init(_ scrypt: FirebaseScrypt) {
    method = .firebaseScrypt(scrypt)
  }

  /// The JSON fields for `init(wire:)`, including the secret signer key.
  public var wire: JSONObject {
    switch method {
    case .digest(let digest): digest.wire
    case .hmac(let hmac): hmac.wire
    case .pbkdf2(let pbkdf2): pbkdf2.wire
    case .firebaseScrypt(let scrypt): scrypt.wire
    case .scrypt(let scrypt): scrypt.wire
    case .bcrypt: ["hashAlgorithm": "BCRYPT"]
    case .argon2(let argon2): argon2.wire
    }
  }

  /// Whether sign-ins with this hash fail with an internal error at Google's servers.
  public var breaksSignIn: Bool {
    if case .hmac(let hmac) = method { hmac.key.reveal().isEmpty } else { false }
  }

  /// Whether a hash may take more than a few milliseconds, up to some seconds.
  public var isSlow: Bool {
    switch method {
    case .digest, .hmac: false
    case .firebaseScrypt(let scrypt): scrypt.memoryCost > 9
    case .pbkdf2, .scrypt, .bcrypt, .argon2: true
    }
  }

  /// Whether this is the hashed password; hashes are compared in constant time.
  ///
  /// Returns false for a hash that this algorithm cannot produce, such as one of another length, or
  /// a bcrypt hash whose cost is too high.
  public func verify(_ password: String, hash: [UInt8], salt: [UInt8]) -> Bool {
    var password = password
    return password.withUTF8 { password in
      if case .bcrypt = method { return Bcrypt.verify(password, hash: hash) }
      guard !hash.isEmpty, let own = self.hash(password, salt: salt, count: hash.count) else {
        return false
      }
      return constantTimeEqual(own, hash)
    }
  }

  /// Returns the hash of a password.
  ///
  /// Nil when the algorithm does not support it: bcrypt requires a salt of 16 bytes and a password
  /// without zero bytes, Argon2 a salt of at least 8 bytes.
  func hash(_ password: String, salt: [UInt8]) -> [UInt8]? {
    var password = password
    return password.withUTF8 { hash($0, salt: salt, count: nil) }
  }

  /// Only PBKDF2 uses `count`, because it can derive keys of any length.
  private func hash(
    _ password: UnsafeBufferPointer<UInt8>, salt: [UInt8], count: Int?
  ) -> [UInt8]? {
    switch method {
    case .digest(let digest): digest.hash(password, salt: salt)
    case .hmac(let hmac): hmac.hash(password, salt: salt)
    case .pbkdf2(let pbkdf2):
      pbkdf2.hash(password, salt: salt, count: count ?? pbkdf2.function.size)
    case .firebaseScrypt(let scrypt):
      scrypt.signerKey.reveal().isEmpty ? nil : scrypt.hash(password, salt: salt)
    case .scrypt(let scrypt): scrypt.hash(password, salt: salt)
    case .bcrypt: Bcrypt.hash(password, salt: salt)
    case .argon2(let argon2): argon2.hash(password, salt: salt)
    }
  }
}

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

/// Whether the salt or the password comes first in the hashed message.
enum PasswordHashOrder: String, Sendable {
  case saltFirst = "SALT_AND_PASSWORD"
  case passwordFirst = "PASSWORD_AND_SALT"

  static let unspecified = "UNSPECIFIED_ORDER"

  /// Calls `body` with salt and password in this order, and wipes them afterwards.
  func withMessage<Result>(
    _ password: UnsafeBufferPointer<UInt8>, _ salt: [UInt8],
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    withWipedBytes(salt.count + password.count) { message in
      let saltStart = self == .saltFirst ? 0 : password.count
      let passwordStart = self == .saltFirst ? salt.count : 0
      for (index, byte) in salt.enumerated() { message[saltStart + index] = byte }
      for (index, byte) in password.enumerated() { message[passwordStart + index] = byte }
      return body(UnsafeBufferPointer(message))
    }
  }
}

/// Provides a buffer and wipes it afterwards, to pass passwords and keys to C.
func withWipedBytes<Result>(
  _ count: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Result
) -> Result {
  let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
  bytes.initialize(repeating: 0)
  defer {
    OPENSSL_cleanse(bytes.baseAddress, count)
    bytes.deallocate()
  }
  return body(bytes)
}
