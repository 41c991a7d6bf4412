import System

/// Decodes the escape sequences of a quoted string (Lua manual, section 3.1).
enum EscapedText {
  private static let letters: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10,
    UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9, UInt8(ascii: "v"): 11,
  ]

  /// Decodes the text between the quotation marks; invalid escapes stay unchanged.
  static func read(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    var rest = Array(text.utf8)[...]
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\") { bytes += escape(&rest) } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Decodes one escape, after its backslash.
  private static func escape(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    guard let kind = rest.first else { return [UInt8(ascii: "\\")] }
    if kind.isDigit {
      return [number(&rest, digits: 3, radix: 10).map { UInt8(truncatingIfNeeded: $0) } ?? kind]
    }
    rest.removeFirst()
    switch kind {
    case UInt8(ascii: "x"):
      return [UInt8(truncatingIfNeeded: number(&rest, digits: 2, radix: 16) ?? 0)]
    case UInt8(ascii: "u") where rest.first == UInt8(ascii: "{"):
      rest.removeFirst()
      let scalar = number(&rest, digits: 8, radix: 16).flatMap { Unicode.Scalar(UInt32($0)) }
      if rest.first == UInt8(ascii: "}") { rest.removeFirst() }
      return scalar.map { Array(String($0).utf8) } ?? []
    case UInt8(ascii: "z"):
      rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
      return []
    default: return [letters[kind] ?? kind]
    }
  }

  /// Reads a number of at most `digits` digits; nil when there is none.
  private static func number(
    _ rest: inout ArraySlice<UInt8>, digits: Int, radix: Int
  ) -> Int? {
    let taken = rest.prefix(digits).prefix { byte in
      Int(String(Unicode.Scalar(byte)), radix: radix) != nil
    }
    rest = rest.dropFirst(taken.count)
    return Int(String(decoding: taken, as: UTF8.self), radix: radix)
  }
}
