/// Base32, as authenticator apps use it (RFC 4648 section 6).
public enum Base32 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Encodes bytes in capital letters, by default without padding.
  public static func encode(_ bytes: [UInt8], padded: Bool = false) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 4) / 5 * 8)
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(digits[Int(buffer >> bits)])
        buffer &= (1 << bits) - 1
      }
    }
    if bits > 0 { text.append(digits[Int(buffer << (5 - bits))]) }
    while padded, !text.count.isMultiple(of: 8) { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a text in either case, with or without padding.
  ///
  /// Nil for any other character, for an impossible length, and when the unused bits of the last
  /// digit are not zero.
  public static func decode(_ text: String) -> [UInt8]? {
    var text = Array(text.utf8)
    if text.last == UInt8(ascii: "=") {
      guard text.count.isMultiple(of: 8) else { return nil }
      // The shortest last group, of two digits, has six padding characters.
      for _ in 0..<6 where text.last == UInt8(ascii: "=") { text.removeLast() }
    }
    // The last digit of a group of 1, 3 or 6 digits would belong to no byte.
    guard ![1, 3, 6].contains(text.count % 8) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 8 * 5 + 4)
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for digit in text {
      guard let value = value(of: digit) else { return nil }
      buffer = buffer << 5 | UInt32(value)
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
        buffer &= (1 << bits) - 1
      }
    }
    return buffer == 0 ? bytes : nil
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a")
    case UInt8(ascii: "2")...UInt8(ascii: "7"): digit - UInt8(ascii: "2") + 26
    default: nil
    }
  }
}

/// Hexadecimal (RFC 4648 section 8), lower case; decoding accepts either case.
public enum Hex {
  /// Encodes each byte as two digits.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.underestimatedCount * 2)
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 0xF))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes digits; nil for an odd length or any other character.
  public static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The digit of a value below 16.
  public static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + (nibble - 10)
  }

  /// The value of a digit; nil for any other character.
  public static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
