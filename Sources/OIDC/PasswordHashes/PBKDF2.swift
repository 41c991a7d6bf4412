import CCrypto
import System

/// The algorithms PBKDF_SHA1 and PBKDF2_SHA256: PBKDF2 with HMAC (RFC 8018 section 5.2).
struct PBKDF2: Sendable, Equatable {
  /// The maximum key length in bytes: each further block costs all rounds again.
  static let longest = 128

  let name: String
  let function: DigestFunction
  let rounds: Int

  /// Parses rounds from 1 to 120000; Firebase's documentation allows 0, its servers do not.
  init(
    _ name: String, _ function: DigestFunction, _ fields: HashFields
  ) throws(PasswordHashingError) {
    self.name = name
    self.function = function
    rounds = try fields.integer("rounds", in: 1...120_000, .invalidRounds)
  }

  var wire: JSONObject {
    ["hashAlgorithm": .string(name), "rounds": .integer(Int64(rounds))]
  }

  /// Returns a key of `count` bytes; nil when that is too long.
  func hash(
    _ password: UnsafeBufferPointer<UInt8>, salt: [UInt8], count: Int
  ) -> [UInt8]? {
    guard (1...Self.longest).contains(count) else { return nil }
    var key = [UInt8](repeating: 0, count: count)
    let status = password.withMemoryRebound(to: CChar.self) { password in
      PKCS5_PBKDF2_HMAC(
        password.baseAddress, Int32(password.count), salt, Int32(salt.count), Int32(rounds),
        function.handle, Int32(count), &key)
    }
    guard status == 1 else {
      ERR_clear_error()
      return nil
    }
    return key
  }
}
