import System

/// The algorithms MD5, SHA1, SHA256 and SHA512: a repeated digest of salt and password.
struct SaltedDigest: Sendable, Equatable {
  let function: DigestFunction
  let rounds: Int
  let order: PasswordHashOrder

  /// Parses rounds from 0 to 8192 for MD5, otherwise from 1; the salt comes first by default.
  init(_ function: DigestFunction, _ fields: HashFields) throws(PasswordHashingError) {
    self.function = function
    rounds = try fields.integer("rounds", in: (function == .md5 ? 0 : 1)...8192, .invalidRounds)
    order =
      try fields.name(
        "passwordHashOrder", of: PasswordHashOrder.self,
        unspecified: PasswordHashOrder.unspecified) ?? .saltFirst
  }

  var wire: JSONObject {
    [
      "hashAlgorithm": .string(function.rawValue), "rounds": .integer(Int64(rounds)),
      "passwordHashOrder": .string(order.rawValue),
    ]
  }

  func hash(_ password: UnsafeBufferPointer<UInt8>, salt: [UInt8]) -> [UInt8] {
    var hash = order.withMessage(password, salt) { function.digest($0) }
    guard function == .md5 else {
      for _ in 1..<rounds { hash = function.digest(hash) }
      return hash
    }
    // Measured: each MD5 round appends the password again, and the hash is hexadecimal text.
    for _ in 0..<rounds { hash = function.digest(hash + Array(password)) }
    return Array(Hex.encode(hash).utf8)
  }
}
