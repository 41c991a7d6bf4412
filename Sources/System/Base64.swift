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

/// One variant of the Base64 alphabet, with encoding and decoding.
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
    bytes.withUnsafeBufferPointer { encode($0, padded: padded) }
  }

  func encode(_ bytes: UnsafeBufferPointer<UInt8>, padded: Bool) -> String {
    String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text in
      digits.withUnsafeBufferPointer { encode(bytes, into: text, digits: $0, padded: padded) }
    }
  }

  /// Writes the digits and returns their number.
  private func encode(
    _ bytes: UnsafeBufferPointer<UInt8>, into text: UnsafeMutableBufferPointer<UInt8>,
    digits: UnsafeBufferPointer<UInt8>, padded: Bool
  ) -> Int {
    var written = 0
    var index = 0
    func put(_ bits: UInt32, shiftedBy shift: UInt32) {
      text[written] = digits[Int(bits &>> shift & 0x3F)]
      written += 1
    }
    while index + 3 <= bytes.count {
      let bits =
        UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
      put(bits, shiftedBy: 18)
      put(bits, shiftedBy: 12)
      put(bits, shiftedBy: 6)
      put(bits, shiftedBy: 0)
      index += 3
    }
    let left = bytes.count - index
    guard left > 0 else { return written }
    let second = left > 1 ? UInt32(bytes[index + 1]) : 0
    let bits = UInt32(bytes[index]) << 16 | second << 8
    put(bits, shiftedBy: 18)
    put(bits, shiftedBy: 12)
    if left > 1 { put(bits, shiftedBy: 6) }
    while padded, written % 4 != 0 {
      text[written] = UInt8(ascii: "=")
      written += 1
    }
    return written
  }

  /// Decodes digits with up to two padding characters.
  ///
  /// Unused bits in the last digit must be zero (RFC 4648 section 3.5), so that each byte string
  /// has one spelling and a signature cannot be respelled.
  func decode(_ text: [UInt8]) -> [UInt8]? {
    text.withUnsafeBufferPointer { text in
      values.withUnsafeBufferPointer { Self.decode(text, values: $0) }
    }
  }

  private static func decode(
    _ text: UnsafeBufferPointer<UInt8>, values: UnsafeBufferPointer<UInt8>
  ) -> [UInt8]? {
    var end = text.count
    while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
    let leftOver = end % 4
    guard leftOver != 1 else { return nil }
    guard end == text.count || text.count.isMultiple(of: 4) else { return nil }
    var faults: UInt8 = 0
    var lastBits: UInt32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: end / 4 * 3 + leftOver * 3 / 4) {
      bytes, count in
      func bits(at start: Int, count: Int) -> UInt32 {
        var bits: UInt32 = 0
        for index in start..<(start + count) {
          let value = values[Int(text[index])]
          // Valid values have six bits; only the mark for invalid digits has the highest bit.
          faults |= value
          bits = bits << 6 | UInt32(value)
        }
        return bits
      }
      var index = 0
      while index + 4 <= end {
        let bits = bits(at: index, count: 4)
        bytes[count] = UInt8(truncatingIfNeeded: bits >> 16)
        bytes[count + 1] = UInt8(truncatingIfNeeded: bits >> 8)
        bytes[count + 2] = UInt8(truncatingIfNeeded: bits)
        count += 3
        index += 4
      }
      guard leftOver > 0 else { return }
      let bits = bits(at: index, count: leftOver) << (leftOver == 2 ? 12 : 6)
      bytes[count] = UInt8(truncatingIfNeeded: bits >> 16)
      if leftOver == 3 { bytes[count + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
      count += leftOver - 1
      lastBits = bits & (leftOver == 2 ? 0xFFFF : 0xFF)
    }
    return faults & 0x80 == 0 && lastBits == 0 ? bytes : nil
  }
}
