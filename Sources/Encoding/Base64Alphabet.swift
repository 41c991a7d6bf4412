/// The 64 digits of one variant of base 64, and how to read them back.
struct Base64Alphabet: Sendable {
  static let standard = Base64Alphabet(last: "+/")
  static let url = Base64Alphabet(last: "-_")

  private static let invalid: UInt8 = 0xFF
  private let digits: [UInt8]
  private let values: [UInt8]

  private init(last: String) {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    digits = Array((letters + letters.lowercased() + "0123456789" + last).utf8)
    var values = [UInt8](repeating: Self.invalid, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    self.values = values
  }

  func encode(_ bytes: [UInt8], padded: Bool) -> String {
    let capacity = (bytes.count + 2) / 3 * 4
    return String(unsafeUninitializedCapacity: capacity) { text in
      var written = 0
      func put(_ digit: UInt8) {
        text[written] = digit
        written += 1
      }
      var index = 0
      while index < bytes.count {
        let left = bytes.count - index
        let second = left > 1 ? bytes[index + 1] : 0
        let third = left > 2 ? bytes[index + 2] : 0
        put(digits[Int(bytes[index] >> 2)])
        put(digits[Int((bytes[index] & 0x03) << 4 | second >> 4)])
        if left > 1 {
          put(digits[Int((second & 0x0F) << 2 | third >> 6)])
        } else if padded {
          put(UInt8(ascii: "="))
        }
        if left > 2 {
          put(digits[Int(third & 0x3F)])
        } else if padded {
          put(UInt8(ascii: "="))
        }
        index += 3
      }
      return written
    }
  }

  /// Reads digits and up to two padding characters at their end.
  ///
  /// Bits left over in the last digit must be zero (RFC 4648 section 3.5), so that each byte string
  /// has one spelling and a signature cannot be respelled.
  func decode(_ text: [UInt8]) -> [UInt8]? {
    var end = text.count
    while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
    let leftOver = end % 4
    guard leftOver != 1 else { return nil }
    guard end == text.count || text.count.isMultiple(of: 4) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(end / 4 * 3 + 2)
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for index in 0..<end {
      let value = values[Int(text[index])]
      guard value != Self.invalid else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
        buffer &= (1 << bits) - 1
      }
    }
    guard buffer == 0 else { return nil }
    return bytes
  }
}
