import CCrypto
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

/// Parses the fields of a request that describe a password hash.
///
/// Google's servers read JSON like Protocol Buffers: a missing number is zero, and a number may be
/// a string, which is how Firebase's command line sends it.
struct HashFields {
  private let fields: JSONObject
  private let path: String

  init(_ fields: JSONObject, path: String = "") {
    self.fields = fields
    self.path = path
  }

  func integer(
    _ name: String, in range: ClosedRange<Int>, _ code: PasswordHashingError.Code
  ) throws(PasswordHashingError) -> Int {
    let number: Int?
    switch fields[name] {
    case nil, .null: number = 0
    case .string(let text): number = Int(text)
    case .some(let value): number = value.integer.flatMap { Int(exactly: $0) }
    }
    guard let number, range.contains(number) else {
      throw PasswordHashingError(
        code, field: path + name,
        "must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func bytes(
    _ name: String, _ code: PasswordHashingError.Code
  ) throws(PasswordHashingError) -> [UInt8] {
    let bytes: [UInt8]?
    switch fields[name] {
    case nil, .null: bytes = []
    case .some(let value): bytes = value.string.flatMap { Base64.decodeAnyAlphabet($0) }
    }
    guard let bytes else {
      throw PasswordHashingError(code, field: path + name, "must be text in base 64")
    }
    return bytes
  }

  /// Returns the signer key, which must not be empty unless `mayBeEmpty` is set.
  func signerKey(mayBeEmpty: Bool = false) throws(PasswordHashingError) -> SecretBytes {
    let key = try bytes("signerKey", .invalidKey)
    guard mayBeEmpty || !key.isEmpty else {
      throw PasswordHashingError(
        .emptyKey, field: path + "signerKey", "must hold the key this algorithm signs with")
    }
    return SecretBytes(key)
  }

  /// Returns the enumeration case that the field names; nil when it is unspecified.
  func name<Name: RawRepresentable>(
    _ name: String, of type: Name.Type, unspecified: String
  ) throws(PasswordHashingError) -> Name? where Name.RawValue == String {
    guard let value = fields[name], !value.isNull, value != .string(unspecified) else {
      return nil
    }
    guard let known = value.string.flatMap({ Name(rawValue: $0) }) else {
      throw PasswordHashingError(
        .invalidArgument, field: path + name, "is none of the names this field has")
    }
    return known
  }

  /// Returns the fields of a nested object; empty when it is missing.
  func nested(_ name: String) throws(PasswordHashingError) -> HashFields {
    guard let object = (fields[name] ?? [:]).object else {
      throw PasswordHashingError(
        .invalidArgument, field: path + name, "must be an object with this algorithm's parameters")
    }
    return HashFields(object, path: path + name + ".")
  }
}
