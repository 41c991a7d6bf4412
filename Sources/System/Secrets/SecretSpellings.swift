/// The encodings in which a secret may occur in output.
enum SecretSpellings {
  struct Spelling {
    let bytes: [UInt8]
    /// Whether it is so short that it is matched only as a whole word.
    let isWord: Bool
  }

  /// Returns the distinct spellings of a value.
  static func all(of value: String) -> [Spelling] {
    if TokenShape.isToken(value) { return signature(of: value) }
    let plain = Array(value.utf8)
    var texts = [plain]
    func add(_ text: [UInt8]) { if !texts.contains(text) { texts.append(text) } }
    if !isPlain(plain) {
      // Escaped once, it is found in `UnescapedText`; this is for escapes inside of escapes.
      add(Array(PercentEncoding.encode(value).utf8))
      add(plain.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 })
      // A decoded form has a blank for each `+` that was not escaped.
      add(plain.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
      let json = JSON.string(value).encoded()
      add(Array(json.utf8.dropFirst().dropLast()))
      add(jsonInASCII(json, escapes: "/"))
      add(jsonInASCII(json, escapes: "&<>'"))
      // `UnescapedText` would also decode a percent escape that belongs to the secret.
      add(Markup.escaped(plain))
      add(Markup.escaped(plain, quotes: false))
    }
    var spellings = texts.map { Spelling(bytes: $0, isWord: $0.count < 8 && $0.allSatisfy(isWord)) }
    for text in texts.prefix(2) { spellings += encodedInside(text) }
    return spellings
  }

  /// Returns the signature of a JWT.
  ///
  /// JWTs are recognized by their format; without the signature they are worthless, so it must not
  /// be shown alone either.
  private static func signature(of token: String) -> [Spelling] {
    guard let dot = token.utf8.lastIndex(of: UInt8(ascii: ".")) else { return [] }
    let signature = Array(token.utf8[dot...].dropFirst())
    return signature.count < 16 ? [] : [Spelling(bytes: signature, isWord: false)]
  }

  /// Returns the Base64 digits that depend on the value only, for each possible alignment.
  ///
  /// The encoded text may have something in front, such as a user name and a colon.
  private static func encodedInside(_ value: [UInt8]) -> [Spelling] {
    var spellings: [Spelling] = []
    for shift in 0..<3 {
      let bytes = [UInt8](repeating: 0, count: shift) + value
      let first = (shift * 8 + 5) / 6
      let last = bytes.count * 8 / 6
      guard last - first >= 4 else { continue }
      let standard = Array(Base64.encode(bytes).utf8)[first..<last]
      spellings.append(Spelling(bytes: Array(standard), isWord: false))
      if standard.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }) {
        let url = standard.map { digit in
          switch digit {
          case UInt8(ascii: "+"): UInt8(ascii: "-")
          case UInt8(ascii: "/"): UInt8(ascii: "_")
          default: digit
          }
        }
        spellings.append(Spelling(bytes: url, isWord: false))
      }
    }
    return spellings
  }

  /// Returns the content of a JSON string in ASCII, as PHP, Python and Go write it.
  ///
  /// - Parameter escapes: characters to escape although JSON does not require it.
  private static func jsonInASCII(_ json: String, escapes: StaticString) -> [UInt8] {
    let escapes = UnsafeBufferPointer(start: escapes.utf8Start, count: escapes.utf8CodeUnitCount)
    let digits = Array("0123456789abcdef".utf8)
    var result: [UInt8] = []
    for unit in json.utf16.dropFirst().dropLast() {
      if let byte = UInt8(exactly: unit), byte < 0x80, !escapes.contains(byte) {
        result.append(byte)
      } else if unit == UInt16(UInt8(ascii: "/")) {
        result += [UInt8(ascii: "\\"), UInt8(ascii: "/")]
      } else {
        result += [UInt8(ascii: "\\"), UInt8(ascii: "u")]
        for shift in [12, 8, 4, 0] { result.append(digits[Int(unit >> UInt16(shift) & 15)]) }
      }
    }
    return result
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit
  }

  /// Whether no byte needs escaping in URLs and JSON.
  private static func isPlain(_ value: [UInt8]) -> Bool {
    value.allSatisfy { byte in
      isWord(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "_")
    }
  }
}

/// A text with percent escapes and HTML references decoded.
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

  private static let references: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
  ]

  /// Decodes a reference such as `&#228;`, `&#xE4;` or `&amp;`.
  private static func reference(
    _ text: Slice<UnsafeBufferPointer<UInt8>>
  ) -> (plain: [UInt8], length: Int)? {
    guard let end = text.firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = String(decoding: text[..<end].dropFirst(), as: UTF8.self)
    let digits = name.dropFirst()
    let isHex = digits.first == "x" || digits.first == "X"
    let number = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    guard
      let scalar = name.hasPrefix("#") ? number.flatMap(Unicode.Scalar.init) : references[name]
    else { return nil }
    return (Array(String(scalar).utf8), end - text.startIndex + 1)
  }
}

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
    byte.isLetterOrDigit
      || "+/-_".utf8.contains(byte)
  }
}
