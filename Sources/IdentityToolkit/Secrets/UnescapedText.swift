/// A text with percent escapes and numeric HTML references decoded.
///
/// Other programs may escape any of a secret's bytes.
struct UnescapedText {
  private(set) var bytes: [UInt8] = []
  /// The position of each byte in the text, and the end of the text.
  private var places: [Int] = []

  /// Fails when there is nothing to decode.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "&") }) else {
      return nil
    }
    bytes.reserveCapacity(text.count)
    places.reserveCapacity(text.count + 1)
    var position = 0
    while position < text.count {
      if let (plain, length) = Self.escape(text, at: position) {
        bytes += plain
        places += repeatElement(position, count: plain.count)
        position += length
      } else {
        bytes.append(text[position])
        places.append(position)
        position += 1
      }
    }
    guard bytes.count < text.count else { return nil }
    places.append(text.count)
  }

  /// Converts a range of the decoded bytes to one of the text.
  func inText(_ range: Range<Int>) -> Range<Int> {
    let end = places[range.upperBound...].first { $0 > places[range.upperBound - 1] }
    return places[range.lowerBound]..<(end ?? places[places.count - 1])
  }

  private static func escape(
    _ text: UnsafeBufferPointer<UInt8>, at position: Int
  ) -> (plain: [UInt8], length: Int)? {
    switch text[position] {
    case UInt8(ascii: "%"):
      guard position + 2 < text.count, let high = digit(text[position + 1]),
        let low = digit(text[position + 2])
      else { return nil }
      return ([high << 4 | low], 3)
    case UInt8(ascii: "&"): return reference(text[position...].prefix(12))
    default: return nil
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x57
    default: nil
    }
  }

  /// Decodes a reference such as `&#228;` or `&#xE4;`.
  private static func reference(
    _ text: Slice<UnsafeBufferPointer<UInt8>>
  ) -> (plain: [UInt8], length: Int)? {
    guard let end = text.firstIndex(of: UInt8(ascii: ";")), text.dropFirst().first == 0x23 else {
      return nil
    }
    let digits = String(decoding: text[..<end].dropFirst(2), as: UTF8.self)
    let isHex = digits.first == "x" || digits.first == "X"
    let number = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    guard let scalar = number.flatMap(Unicode.Scalar.init) else { return nil }
    return (Array(String(scalar).utf8), end - text.startIndex + 1)
  }
}
