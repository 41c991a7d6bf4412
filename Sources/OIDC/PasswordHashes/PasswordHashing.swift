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
        .missingAlgorithm, field: "hashAlgorithm", "must say how the passwords were hashed")
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
