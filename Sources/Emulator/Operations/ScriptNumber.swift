internal import System

/// Parses numbers as JavaScript does, which is what Firebase's emulator does with strings that should be numbers.
enum ScriptNumber {
  /// The number that a text contains, with blanks around it; nil if it is not a number.
  ///
  /// It is decimal with fraction and exponent, or whole after `0x`, `0o` or `0b`. An empty text is zero.
  static func parse(_ text: String) -> Double? {
    var bytes = text.utf8[...]
    while let first = bytes.first, isBlank(first) { bytes = bytes.dropFirst() }
    while let last = bytes.last, isBlank(last) { bytes = bytes.dropLast() }
    let trimmed = String(Substring(bytes))
    if trimmed.isEmpty { return 0 }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)]
    where trimmed.asciiLowercased.utf8.starts(with: prefix.utf8) {
      let digits = trimmed.dropFirst(2)
      guard digits.utf8.first != UInt8(ascii: "+"), digits.utf8.first != UInt8(ascii: "-") else {
        return nil
      }
      return UInt64(digits, radix: radix).map { Double($0) }
    }
    if let word = ["Infinity": 1.0, "+Infinity": 1.0, "-Infinity": -1.0][trimmed] {
      return word * .infinity
    }
    // Swift also accepts words such as "nan", and hexadecimal fractions.
    guard
      trimmed.utf8.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "+"),
          UInt8(ascii: "-"), UInt8(ascii: "e"), UInt8(ascii: "E"):
          true
        default: false
        }
      })
    else { return nil }
    return Double(trimmed)
  }

  /// The whole number at the beginning of a text, after blanks and a sign; nil if there is none or it does not fit.
  static func leadingInteger(of text: String) -> Int64? {
    var rest = text.utf8.drop(while: isBlank)
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return Int64((isNegative ? "-" : "") + String(Substring(digits)))
  }

  /// The value as JavaScript would serialize it, where every number is a double.
  static func rewritten(_ value: JSON) -> JSON {
    switch value {
    case .integer(let number):
      guard number.magnitude > 1 << 53 else { return value }
      return whole(Double(number))
    case .number(let number): return whole(number)
    case .array(let items): return .array(items.map(rewritten))
    case .object(let object):
      return .object(JSONObject(object.entries.map { ($0.key, rewritten($0.value)) }))
    case .null, .bool, .string: return value
    }
  }

  private static func whole(_ number: Double) -> JSON {
    Int64(ScriptValue.text(number)).map { .integer($0) } ?? .number(number)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
