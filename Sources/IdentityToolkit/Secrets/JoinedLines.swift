/// A text with wrapped Base64 lines joined; `base64`, MIME and PEM wrap after 60 to 76 digits.
struct JoinedLines {
  private static let lengths = 60...76

  private(set) var bytes: [UInt8] = []
  /// The position of each joined byte in the text.
  private var places: [Int] = []

  /// Fails when there is nothing to join.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    let breaks = Self.breaks(in: text)
    guard !breaks.isEmpty else { return nil }
    var kept = 0
    for gap in breaks + [text.count..<text.count] {
      bytes += text[kept..<gap.lowerBound]
      places += kept..<gap.lowerBound
      kept = gap.upperBound
    }
  }

  /// Converts a range of the joined bytes to one of the text.
  func inText(_ range: Range<Int>) -> Range<Int> {
    places[range.lowerBound]..<places[range.upperBound - 1] + 1
  }

  /// Finds line breaks between digits, including the indentation of the next line.
  private static func breaks(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var breaks: [Range<Int>] = []
    var position = 0
    var began = 0
    while position < text.count {
      if isDigit[Int(text[position])] {
        position += 1
        continue
      }
      let end = position
      while position < text.count, isBlank(text[position]) { position += 1 }
      if lengths.contains(end - began), text[end..<position].contains(0x0A),
        position < text.count, isDigit[Int(text[position])]
      {
        breaks.append(end..<position)
      }
      position = max(position, end + 1)
      began = position
    }
    return breaks
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x0A || byte == 0x0D || byte == 0x20 || byte == 0x09
  }

  private static let isDigit: [Bool] = (0...255).map { (byte: UInt8) in
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
      || "+/-_".utf8.contains(byte)
  }
}
