import System

/// A hash of 64 bits that is the same in every process: FNV-1a (RFC 9923), with eight bytes at a time in longer texts.
///
/// It finds every change of a single byte, but gives no protection against an attacker who chooses the bytes.
struct StableHash {
  private(set) var value: UInt64

  /// - Parameter value: The value so far.
  init(value: UInt64 = 0xCBF2_9CE4_8422_2325) { self.value = value }

  /// - Parameter digits: The value so far, as `digits` has it; nil unless there are 16 hexadecimal ones.
  init?(digits: some Collection<UInt8>) {
    guard digits.count == 16 else { return nil }
    value = 0
    for digit in digits {
      guard let nibble = Hex.value(of: digit) else { return nil }
      value = value << 4 | UInt64(nibble)
    }
  }

  mutating func add(byte: UInt8) {
    value = (value ^ UInt64(byte)) &* Self.prime
  }

  private mutating func add(word: UInt64) {
    value = (value ^ word) &* Self.prime
    // The product moves bits upward only.
    value ^= value >> 32
  }

  private static let prime: UInt64 = 0x100_0000_01B3

  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    let raw = UnsafeRawBufferPointer(bytes)
    var position = 0
    while position + 8 <= raw.count {
      add(
        word: UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
      position += 8
    }
    for byte in bytes[position...] { add(byte: byte) }
  }

  /// Adds the text and an end that no text has.
  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add($0) }
    add(byte: 0xFF)
  }

  mutating func add(number: Int64) { add(word: UInt64(bitPattern: number)) }

  /// The value as 16 hexadecimal digits.
  var digits: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16) { digits, count in count = write(16, to: digits) }
  }

  /// The first of these digits as text.
  func text(_ length: Int = 16) -> String {
    String(unsafeUninitializedCapacity: length) { write(length, to: $0) }
  }

  /// Writes the first digits; a string's memory may have room for more.
  private func write(_ length: Int, to digits: UnsafeMutableBufferPointer<UInt8>) -> Int {
    for index in 0..<length {
      digits[index] = Hex.digit(UInt8(value >> UInt64(60 - 4 * index) & 15))
    }
    return length
  }
}
