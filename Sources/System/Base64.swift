/// Base64 with the standard alphabet and padding (RFC 4648 section 4).
public enum Base64 {
  /// Encodes bytes with padding.
  public static func encode(_ bytes: [UInt8]) -> String {
    Base64Alphabet.standard.encode(bytes, padded: true)
  }

  /// Decodes a text; nil unless it is exactly what encoding would return.
  public static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 4) else { return nil }
    return Base64Alphabet.standard.decode(digits)
  }

  /// Decodes a text in either alphabet, with or without padding.
  ///
  /// The JSON form of Protocol Buffers, and with it Google's servers, reads bytes this way.
  public static func decodeAnyAlphabet(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { digit in
      switch digit {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: digit
      }
    }
    return Base64URL.decode(String(decoding: digits, as: UTF8.self))
  }

  /// Decodes a text in either alphabet like Node.js: ignores other characters and incomplete bytes.
  ///
  /// Do not use it where the text must prove anything, because the same bytes have many spellings.
  public static func decodeLeniently(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var count = 0
    for digit in text.utf8 {
      guard let value = value(of: digit) else { continue }
      bits = bits << 6 | value
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

/// Base64 with the URL alphabet, without padding as in JOSE.
///
/// See RFC 4648 section 5 and RFC 7515 section 2.
public enum Base64URL {
  /// Encodes bytes without padding.
  public static func encode(_ bytes: [UInt8]) -> String {
    Base64Alphabet.url.encode(bytes, padded: false)
  }

  /// Decodes a text with or without padding; nil for any other character.
  public static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    let isPadded = digits.last == UInt8(ascii: "=")
    guard !isPadded || digits.count.isMultiple(of: 4) else { return nil }
    return Base64Alphabet.url.decode(digits)
  }
}
