internal import Encoding
internal import OIDC

/// A password as an account keeps it.
struct PasswordRecord: Sendable {
  /// The hash as the wire shows it to administrators: base64url, or the readable form.
  let hash: String
  let salt: String?
  /// How the hash was made; nil for the readable form of Firebase's emulator.
  let hashing: PasswordHashing?

  /// A real hash of the password, as the project makes them.
  init(hashing password: String, by scrypt: FirebaseScrypt) {
    let made = scrypt.make(password)
    salt = Base64URL.encode(made.salt)
    hash = Base64URL.encode(made.hash)
    hashing = PasswordHashing(scrypt)
  }

  /// The readable form Firebase's emulator keeps, by design: a test can see which password is set.
  init(readable password: String) {
    let salt = "fakeSalt\(SecureRandom.alphanumeric(20))"
    self.salt = salt
    hash = Self.readableHash(password, salt: salt)
    hashing = nil
  }

  /// A hash from elsewhere.
  init(hash: String, salt: String?, hashing: PasswordHashing?) {
    self.hash = hash
    self.salt = salt
    self.hashing = hashing
  }

  func matches(_ password: String) -> Bool {
    guard let hashing else {
      return constantTimeEqual(hash, Self.readableHash(password, salt: salt ?? ""))
    }
    guard let bytes = Base64URL.decode(hash), let saltBytes = Base64URL.decode(salt ?? "") else {
      return false
    }
    return hashing.verify(password, hash: bytes, salt: saltBytes)
  }

  private static func readableHash(_ password: String, salt: String) -> String {
    "fakeHash:salt=\(salt):password=\(password)"
  }
}
