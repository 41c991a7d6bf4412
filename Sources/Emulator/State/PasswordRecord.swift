internal import OIDC

/// A salted hash of a password.
struct PasswordRecord: Sendable {
  private let salt: [UInt8]
  private let hash: [UInt8]
  /// Milliseconds since 1970.
  let updatedAt: Int64

  // The accounts are gone when the process ends, so the hash need only be real, not slow.
  private static let scrypt = FirebaseScrypt(memoryCost: 10)

  init(_ password: String, now milliseconds: Int64) {
    (salt, hash) = Self.scrypt.make(password)
    updatedAt = milliseconds
  }

  func matches(_ password: String) -> Bool {
    PasswordHashing(Self.scrypt).verify(password, hash: hash, salt: salt)
  }
}
