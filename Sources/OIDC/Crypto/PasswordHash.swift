import CCrypto
import Encoding

/// Password storage with scrypt (RFC 7914).
public enum PasswordHash {
  /// How much time and memory one hash takes: about 128 × `n` × `r` bytes.
  public struct Cost: Sendable, Equatable {
    /// The CPU and memory parameter, a power of two.
    public let n: UInt64
    /// The block size parameter.
    public let r: UInt64
    /// The parallelisation parameter.
    public let p: UInt64

    /// Chooses the parameters of RFC 7914 section 2.
    ///
    /// `n` must be a power of two above 1, and the memory must stay within 1 GiB.
    public init(n: UInt64, r: UInt64, p: UInt64) {
      self.n = n
      self.r = r
      self.p = p
    }

    /// 16 MiB and some tens of milliseconds: for passwords that matter.
    public static let interactive = Cost(n: 16384, r: 8, p: 1)
    /// Microseconds: for demo passwords, which are public anyway.
    public static let light = Cost(n: 16, r: 1, p: 1)
  }

  /// Hashes a new password with a fresh salt of 16 bytes.
  public static func make(
    _ password: String, cost: Cost = .interactive
  ) -> (salt: [UInt8], hash: [UInt8]) {
    let salt = SecureRandom.bytes(16)
    return (salt, derive(password, salt: salt, count: 32, cost: cost))
  }

  /// Whether this is the password that was hashed, found in constant time.
  public static func verify(
    _ password: String, salt: [UInt8], hash: [UInt8], cost: Cost = .interactive
  ) -> Bool {
    guard !hash.isEmpty else { return false }
    return constantTimeEqual(derive(password, salt: salt, count: hash.count, cost: cost), hash)
  }

  /// The scrypt key of that many bytes.
  public static func derive(
    _ password: String, salt: [UInt8], count: Int, cost: Cost
  ) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: count)
    let maximumMemory: UInt64 = 1 << 30
    var password = password
    let status = password.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) { text in
        EVP_PBE_scrypt(
          text.baseAddress, text.count, salt, salt.count, cost.n, cost.r, cost.p,
          maximumMemory, &key, count)
      }
    }
    precondition(status == 1, "scrypt refuses its cost parameters")
    return key
  }
}
