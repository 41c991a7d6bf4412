import CCrypto
import Synchronization
import System

/// Cryptographically secure random values from the operating system.
public enum SecureRandom {
  /// Random bytes that no caller has received yet: OpenSSL takes as long for a few bytes as for hundreds.
  private static let stock = Mutex<[UInt8]>([])
  private static let stockSize = 1024

  /// Returns `count` random bytes.
  public static func bytes(_ count: Int) -> [UInt8] {
    guard count <= 64 else { return fresh(count) }
    return stock.withLock { stock in
      if stock.count < count { stock = fresh(stockSize) }
      defer { stock.removeLast(count) }
      return Array(stock.suffix(count))
    }
  }

  private static func fresh(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let status = RAND_bytes(&bytes, Int32(count))
    // Trap rather than continue with predictable tokens.
    precondition(status == 1, "the operating system has no random bytes")
    return bytes
  }

  /// Returns a random token in Base64URL; 32 bytes give 43 characters.
  public static func token(bytes count: Int = 32) -> String {
    Base64URL.encode(bytes(count))
  }

  /// Returns random ASCII letters and digits, each equally likely.
  public static func alphanumeric(_ count: Int) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(count)
    while text.count < count {
      // 248 is the largest multiple of 62 below 256; larger bytes would favor the first letters.
      for byte in bytes(count - text.count) where byte < 248 {
        text.append(alphabet[Int(byte) % alphabet.count])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns a random UUID in lower case (RFC 9562 section 5.4).
  public static func uuid() -> String {
    var bytes = bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns random decimal digits, each equally likely.
  public static func digits(_ count: Int) -> String {
    var text: [UInt8] = []
    while text.count < count {
      // 250 is the largest multiple of 10 below 256.
      for byte in bytes(count - text.count) where byte < 250 {
        text.append(UInt8(ascii: "0") + byte % 10)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
