import System

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
      let percent = Array(PercentEncoding.encode(value).utf8)
      add(percent)
      add(lowercasedEscapes(percent))
      add(Array(FormFields([("", value)]).encoded.utf8.dropFirst()))
      // A URL inside a parameter of another URL.
      add(percent.flatMap { $0 == UInt8(ascii: "%") ? Array("%25".utf8) : [$0] })
      add(plusForBlanks(percent))
      add(plain.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 })
      // A decoded form has a blank for each `+` that was not escaped.
      add(plain.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
      let json = JSON.string(value).encoded()
      add(Array(json.utf8.dropFirst().dropLast()))
      add(jsonInASCII(json, escapes: "/"))
      add(jsonInASCII(json, escapes: "&<>'"))
      add(Markup.escaped(plain))
      add(Markup.escaped(plain, quotes: false))
    }
    let everything = escapingAllButWords(plain)
    add(everything)
    add(lowercasedEscapes(everything))
    var spellings = texts.map { Spelling(bytes: $0, isWord: $0.count < 8) }
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

  /// Escapes every byte except letters and digits, like `gsub("[^%w]", …)`.
  private static func escapingAllButWords(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text {
      if (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return result
  }

  /// Whether no byte needs escaping in URLs and JSON.
  private static func isPlain(_ value: [UInt8]) -> Bool {
    value.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
  }

  /// Replaces the escaped blanks by `+`, as in forms.
  private static func plusForBlanks(_ percent: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = percent[...]
    while let byte = rest.first {
      let isBlank = rest.starts(with: "%20".utf8)
      result.append(isBlank ? UInt8(ascii: "+") : byte)
      rest = rest.dropFirst(isBlank ? 3 : 1)
    }
    return result
  }

  /// Returns the text with lower case percent escapes, as some servers write them.
  private static func lowercasedEscapes(_ text: [UInt8]) -> [UInt8] {
    var left = 0
    return text.map { byte in
      if byte == UInt8(ascii: "%") {
        left = 2
        return byte
      }
      defer { left = max(left - 1, 0) }
      return left > 0 && (0x41...0x46).contains(byte) ? byte | 0x20 : byte
    }
  }
}

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
