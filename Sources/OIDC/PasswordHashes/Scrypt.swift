import CCrypto
public import System

/// The algorithm STANDARD_SCRYPT: scrypt (RFC 7914).
struct Scrypt: Sendable, Equatable {
  /// The maximum product of the three costs: up to a second and, in blocks of 128 bytes, 128 MiB.
  ///
  /// Firebase documents no limit; this one allows the most expensive common recommendation.
  private static let mostWork = 1 << 20
  /// Limits the memory that the function uses in addition to those blocks.
  private static let mostBlockSize = 1024

  let cost: Int
  let blockSize: Int
  let parallelization: Int
  let keyLength: Int

  init(_ fields: HashFields) throws(PasswordHashingError) {
    cost = try fields.integer("cpuMemCost", in: 2...Self.mostWork, .invalidParameter)
    blockSize = try fields.integer("blockSize", in: 1...Self.mostBlockSize, .invalidParameter)
    parallelization = try fields.integer(
      "parallelization", in: 1...Self.mostWork, .invalidParameter)
    keyLength = try fields.integer("dkLen", in: 1...1024, .invalidParameter)
    // RFC 7914 section 2: a power of two, and less than 2^(128 × blockSize / 8).
    guard cost.nonzeroBitCount == 1, blockSize > 1 || cost < 1 << 16 else {
      throw PasswordHashingError(
        .invalidParameter, field: "cpuMemCost",
        "must be a power of two, and below 65536 when blockSize is 1")
    }
    // Cannot overflow: each is at most 2^20.
    guard cost * blockSize * parallelization <= Self.mostWork else {
      throw PasswordHashingError(
        .invalidParameter, field: "cpuMemCost",
        "times blockSize and parallelization must be at most \(Self.mostWork)")
    }
  }

  var wire: JSONObject {
    [
      "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": .integer(Int64(cost)),
      "blockSize": .integer(Int64(blockSize)), "parallelization": .integer(Int64(parallelization)),
      "dkLen": .integer(Int64(keyLength)),
    ]
  }

  /// Returns nil only when memory has run out.
  func hash(_ password: UnsafeBufferPointer<UInt8>, salt: [UInt8]) -> [UInt8]? {
    var key = [UInt8](repeating: 0, count: keyLength)
    let done = key.withUnsafeMutableBufferPointer {
      Self.derive(
        password, salt: salt, n: cost, r: blockSize, p: parallelization, into: $0)
    }
    return done ? key : nil
  }

  /// Fills the buffer with the key; returns false when libcrypto fails.
  static func derive(
    _ password: UnsafeBufferPointer<UInt8>, salt: [UInt8], n: Int, r: Int, p: Int,
    into key: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    // Twice the 128 MiB, far more than the rest needs.
    let maximumMemory: UInt64 = 256 << 20
    let status = password.withMemoryRebound(to: CChar.self) { password in
      EVP_PBE_scrypt(
        password.baseAddress, password.count, salt, salt.count, UInt64(n), UInt64(r), UInt64(p),
        maximumMemory, key.baseAddress, key.count)
    }
    guard status == 1 else {
      ERR_clear_error()
      return false
    }
    return true
  }
}

/// The algorithm SCRYPT, Firebase's own: scrypt derives a key, which encrypts the project's signer key.
///
/// As in github.com/firebase/scrypt: the salt is followed by the project's salt separator, N is two
/// to the power of the memory cost, r is the rounds and p is one. The first 32 bytes of the key are
/// for AES-256 in counter mode, which starts at zero.
public struct FirebaseScrypt: Sendable, Equatable {
  /// The memory costs that Firebase allows; each step doubles memory and time.
  static let memoryCosts = 1...14
  /// The rounds that Firebase allows; memory and time grow in proportion.
  static let allowedRounds = 1...8

  /// The project's secret, as long as each hash.
  let signerKey: SecretBytes
  /// Appended to each salt.
  let saltSeparator: [UInt8]
  /// scrypt's block size r.
  let rounds: Int
  /// The binary logarithm of scrypt's N.
  let memoryCost: Int

  /// Creates parameters like Firebase for a new project, with a new signer key of 64 bytes.
  ///
  /// The defaults use 16 MiB per hash. Values that Firebase does not allow trap.
  public init(memoryCost: Int = 14, rounds: Int = 8) {
    precondition(
      Self.memoryCosts.contains(memoryCost) && Self.allowedRounds.contains(rounds),
      "the cost is outside Firebase's limits")
    signerKey = SecretBytes(SecureRandom.bytes(64))
    saltSeparator = [7]
    self.rounds = rounds
    self.memoryCost = memoryCost
  }

  /// Parses the output of `wire`, which is also the format of a user import.
  public init(wire request: JSONObject) throws(PasswordHashingError) {
    let fields = HashFields(request)
    // Measured: hashes without a key are stored, and no password matches them.
    signerKey = try fields.signerKey(mayBeEmpty: true)
    saltSeparator = try fields.bytes("saltSeparator", .invalidSaltSeparator)
    rounds = try fields.integer("rounds", in: Self.allowedRounds, .invalidRounds)
    memoryCost = try fields.integer("memoryCost", in: Self.memoryCosts, .invalidMemoryCost)
  }

  /// The JSON fields for `init(wire:)`, including the secret signer key.
  public var wire: JSONObject {
    [
      "hashAlgorithm": "SCRYPT", "signerKey": .string(Base64.encode(signerKey.reveal())),
      "saltSeparator": .string(Base64.encode(saltSeparator)), "rounds": .integer(Int64(rounds)),
      "memoryCost": .integer(Int64(memoryCost)),
    ]
  }

  /// Hashes a new password with a new salt.
  public func make(_ password: String) -> (salt: [UInt8], hash: [UInt8]) {
    var password = password
    // Firebase's own exports have ten bytes; RFC 8018 recommends sixteen.
    let salt = SecureRandom.bytes(16)
    return (salt, password.withUTF8 { hash($0, salt: salt) })
  }

  func hash(_ password: UnsafeBufferPointer<UInt8>, salt: [UInt8]) -> [UInt8] {
    withWipedBytes(64) { key in
      let done = Scrypt.derive(
        password, salt: salt + saltSeparator, n: 1 << memoryCost, r: rounds, p: 1, into: key)
      precondition(done, "scrypt refuses its cost parameters")
      return Self.encrypt(signerKey.reveal(), key: UnsafeBufferPointer(rebasing: key[..<32]))
    }
  }

  private static func encrypt(_ text: [UInt8], key: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    let counter = [UInt8](repeating: 0, count: 16)
    var encrypted = [UInt8](repeating: 0, count: text.count)
    var count: Int32 = 0
    // Counter mode adds no padding, so no final call is needed.
    let done =
      EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key.baseAddress, counter) == 1
      && EVP_EncryptUpdate(context, &encrypted, &count, text, Int32(text.count)) == 1
    precondition(done && Int(count) == text.count, "libcrypto lacks AES-256 in counter mode")
    return encrypted
  }
}
