internal import Encoding

/// The ways in which a secret may stand in what is shown.
enum SecretSpellings {
  struct Spelling {
    let bytes: [UInt8]
    /// Whether it is too short to be looked for inside other words.
    let isWord: Bool
  }

  /// Every spelling of a value, each once.
  static func all(of value: String) -> [Spelling] {
    if TokenShape.isToken(value) { return signature(of: value) }
    var texts = [value]
    func add(_ text: String) {
      if !texts.contains(where: { ExactString($0) == ExactString(text) }) { texts.append(text) }
    }
    if !isPlain(value) {
      let percent = PercentEncoding.encode(value)
      add(percent)
      add(lowercasedEscapes(percent))
      add(String(FormFields([("", value)]).encoded.dropFirst()))
      // An address inside the parameter of another.
      add(PercentEncoding.encode(percent))
      add(percent.replacing("%20", with: "+"))
      add(String(JSON.string(value).encoded().dropFirst().dropLast()))
      add(jsonInASCII(value, escapes: "/"))
      add(jsonInASCII(value, escapes: "&<>'"))
      add(html(value, quotes: true))
      add(html(value, quotes: false))
    }
    let everything = escapingAllButWords(value)
    add(everything)
    add(lowercasedEscapes(everything))
    var spellings = texts.map { text in
      let bytes = Array(text.utf8)
      return Spelling(bytes: bytes, isWord: bytes.count < 8)
    }
    for text in texts.prefix(2) { spellings += encodedInside(Array(text.utf8)) }
    return spellings
  }

  /// A token is known by its shape; without its signature it is worth nothing, so that alone must not be
  /// shown either.
  private static func signature(of token: String) -> [Spelling] {
    guard let dot = token.utf8.lastIndex(of: UInt8(ascii: ".")) else { return [] }
    let signature = Array(token.utf8[dot...].dropFirst())
    return signature.count < 16 ? [] : [Spelling(bytes: signature, isWord: false)]
  }

  /// The base 64 digits that the bytes alone decide, wherever they begin in what was encoded: alone,
  /// or behind a user name and a colon.
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

  /// The text as the inside of a JSON string without a byte above 0x7F, as PHP, Python and Go write it.
  ///
  /// - Parameter escapes: what they escape that need not be.
  private static func jsonInASCII(_ text: String, escapes: String) -> String {
    var result = ""
    for unit in JSON.string(text).encoded().dropFirst().dropLast().utf16 {
      let scalar = Unicode.Scalar(unit)
      if let scalar, unit < 0x80, !escapes.unicodeScalars.contains(scalar) {
        result.unicodeScalars.append(scalar)
      } else if unit == UInt16(UInt8(ascii: "/")) {
        result += "\\/"
      } else {
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result
  }

  /// The text as HTML and XML have it.
  private static func html(_ text: String, quotes: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"" where quotes: result += "&quot;"
      case "'" where quotes: result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Every byte escaped but letters and digits, as `gsub("[^%w]", …)` does it.
  private static func escapingAllButWords(_ text: String) -> String {
    var result: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      if (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Whether every byte stands for itself in addresses and JSON.
  private static func isPlain(_ value: String) -> Bool {
    value.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
  }

  /// The text with its percent escapes in lower case, as some servers write them.
  private static func lowercasedEscapes(_ text: String) -> String {
    var left = 0
    return String(
      decoding: text.utf8.map { byte -> UInt8 in
        if byte == UInt8(ascii: "%") {
          left = 2
          return byte
        }
        defer { left = max(left - 1, 0) }
        return left > 0 && (0x41...0x46).contains(byte) ? byte | 0x20 : byte
      }, as: UTF8.self)
  }
}
