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
