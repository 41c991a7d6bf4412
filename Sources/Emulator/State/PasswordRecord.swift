internal import System
internal import OIDC

/// A stored password: a hash, or the readable form of Firebase's emulator.
struct PasswordRecord: Sendable {
  /// For the readable form only the password is stored; the rest of its text is always the same.
  private enum Content: Sendable {
    case readable(password: String)
    case hashed(String, PasswordHashing?)
  }

  private let content: Content
  let salt: String?

  /// The hash that administrators see: web-safe base64, or the readable form.
  var hash: String {
    switch content {
    case .readable(let password): Self.readableHash(password, salt: salt ?? "")
    case .hashed(let hash, _): hash
    }
  }

  /// How the hash was made; nil for the readable form of Firebase's emulator.
  var hashing: PasswordHashing? {
    if case .hashed(_, let hashing) = content { hashing } else { nil }
  }

  init(hashing password: String, by scrypt: FirebaseScrypt) {
    let made = scrypt.make(password)
    self.init(hash: made.hash, salt: made.salt, hashing: PasswordHashing(scrypt))
  }

  /// The readable form of Firebase's emulator, which lets a test see the password.
  init(readable password: String, salt: String? = nil) {
    self.salt = salt ?? "fakeSalt\(SecureRandom.alphanumeric(20))"
    content = .readable(password: password)
  }

  /// A hash that was imported or recorded; `hashing` is nil for the readable form.
  init(hash: String, salt: String?, hashing: PasswordHashing?) {
    self.salt = salt
    let start = Self.readableHash("", salt: salt ?? "")
    if hashing == nil, hash.utf8.starts(with: start.utf8) {
      content = .readable(
        password: String(decoding: hash.utf8.dropFirst(start.utf8.count), as: UTF8.self))
    } else {
      content = .hashed(hash, hashing)
    }
  }

  /// An imported hash that can be verified.
  init(hash: [UInt8], salt: [UInt8]?, hashing: PasswordHashing) {
    self.init(
      hash: Self.webSafe(hash), salt: salt.map(Self.webSafe), hashing: hashing)
  }

  func matches(_ password: String) -> Bool {
    guard let hashing else {
      guard let salt, !salt.isEmpty else { return false }
      return constantTimeEqual(hash, Self.readableHash(password, salt: salt))
    }
    guard let bytes = Base64.decodeAnyAlphabet(hash),
      let saltBytes = Base64.decodeAnyAlphabet(salt ?? "")
    else {
      return false
    }
    return hashing.verify(password, hash: bytes, salt: saltBytes)
  }

  /// Whether a hash is of the readable form, whatever the password.
  static func isReadable(_ hash: String) -> Bool { hash.utf8.starts(with: "fakeHash:salt=".utf8) }

  /// Base64 in the alphabet of RFC 4648 section 5 with padding, as Google's servers write bytes.
  private static func webSafe(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes)
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }

  private static func readableHash(_ password: String, salt: String) -> String {
    "fakeHash:salt=\(salt):password=\(password)"
  }
}
