import System

/// The algorithms HMAC_MD5, HMAC_SHA1, HMAC_SHA256 and HMAC_SHA512.
struct SaltedHMAC: Sendable, Equatable {
  let function: DigestFunction
  let key: SecretBytes
  let order: PasswordHashOrder

  /// Parses the fields; unlike with plain digests, the password comes first by default.
  ///
  /// Measured: only for SHA-512 do Google's servers accept a missing key; sign-ins then fail there
  /// with an internal error.
  init(_ function: DigestFunction, _ fields: HashFields) throws(PasswordHashingError) {
    self.function = function
    key = try fields.signerKey(mayBeEmpty: function == .sha512)
    order =
      try fields.name(
        "passwordHashOrder", of: PasswordHashOrder.self,
        unspecified: PasswordHashOrder.unspecified) ?? .passwordFirst
  }

  var wire: JSONObject {
    [
      "hashAlgorithm": .string("HMAC_" + function.rawValue),
      "signerKey": .string(Base64.encode(key.reveal())),
      "passwordHashOrder": .string(order.rawValue),
    ]
  }

  func hash(_ password: UnsafeBufferPointer<UInt8>, salt: [UInt8]) -> [UInt8] {
    key.reveal().withUnsafeBufferPointer { key in
      order.withMessage(password, salt) { function.hmac(key: key, message: $0) }
    }
  }
}
