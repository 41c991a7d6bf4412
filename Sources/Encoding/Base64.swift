/// Base 64 with the standard alphabet and padding (RFC 4648 section 4).
public enum Base64 {
  /// The padded text for these bytes.
  public static func encode(_ bytes: [UInt8]) -> String {
    Base64Alphabet.standard.encode(bytes, padded: true)
  }

  /// The bytes the text stands for; nil unless it is exactly what encoding them would give.
  public static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 4) else { return nil }
    return Base64Alphabet.standard.decode(digits)
  }

  /// The bytes the text stands for in either alphabet, with or without its padding.
  ///
  /// So the JSON form of Protocol Buffers reads a field of bytes, and with it Google's servers.
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
}

/// Base 64 with the alphabet for URLs and file names, unpadded as JOSE wants it
/// (RFC 4648 section 5, RFC 7515 section 2).
public enum Base64URL {
  /// The unpadded text for these bytes.
  public static func encode(_ bytes: [UInt8]) -> String {
    Base64Alphabet.url.encode(bytes, padded: false)
  }

  /// The bytes the text stands for, with or without its padding; nil for any other character.
  public static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    let isPadded = digits.last == UInt8(ascii: "=")
    guard !isPadded || digits.count.isMultiple(of: 4) else { return nil }
    return Base64Alphabet.url.decode(digits)
  }
}
