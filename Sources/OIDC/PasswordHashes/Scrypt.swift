import CCrypto
import System

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
