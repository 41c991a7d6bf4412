import Encoding

/// The algorithms MD5, SHA1, SHA256 and SHA512: a digest of salt and password, taken again and again.
struct SaltedDigest: Sendable, Equatable {
  let function: DigestFunction
  let rounds: Int
  let order: PasswordHashOrder

  /// Rounds from 0 to 8192 for MD5, else from 1; the salt comes first unless the request says so.
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
    // Measured: each round of MD5 adds the password again, and the hash is the text that `md5sum` prints.
    for _ in 0..<rounds { hash = function.digest(hash + Array(password)) }
    return Array(Hex.encode(hash).utf8)
  }
}
