internal import System

/// JavaScript's conversions of JSON values, for fields whose types Firebase's emulator does not check.
enum ScriptValue {
  /// The maximum nesting depth of a document: deeper than what clients send, and safe for the stack.
  static let maximumDepth = 1000

  /// A JSON document as JavaScript reads it.
  static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
    try JSON.parse(bytes, maximumDepth: maximumDepth, isLenient: true)
  }

  /// A JSON text as JavaScript reads it; nil if it is not JSON.
  static func parse(_ text: String) -> JSON? { try? parse(Array(text.utf8)) }

  /// Whether the value counts as true in a condition; nil stands for `undefined`.
  static func isTrue(_ value: JSON?) -> Bool {
    switch value {
    case nil, .null?, .bool(false)?: false
    case .string(let text)?: !text.isEmpty
    case .some(let value): value.number != 0
    }
  }

  /// A string, number or boolean as a string; nil for anything else.
  static func primitiveText(_ value: JSON?) -> String? {
    switch value {
    case .string(let text)?: text
    case .bool(let flag)?: String(flag)
    case .some(let value): value.number.map(text)
    case nil: nil
    }
  }

  /// Any value as a string, as a template literal converts it.
  static func text(_ value: JSON?) -> String {
    switch value {
    case nil: "undefined"
    case .null?: "null"
    case .object?: "[object Object]"
    case .array(let items)?: items.map { $0.isNull ? "" : text($0) }.joined(separator: ",")
    case .some(let value): primitiveText(value) ?? ""
    }
  }

  /// A number as ECMAScript writes it (ECMA-262, `Number::toString`).
  static func text(_ number: Double) -> String {
    guard number.isFinite else {
      return number.isNaN ? "NaN" : number > 0 ? "Infinity" : "-Infinity"
    }
    guard number != 0 else { return "0" }
    // Swift's description has the same shortest digits, but other thresholds for an exponent.
    let halves = number.magnitude.description.split(separator: "e")
    let mantissa = halves[0].split(separator: ".")
    let whole = String(mantissa[0])
    let fraction = mantissa.count > 1 ? String(mantissa[1]) : ""
    var digits = Array((whole + fraction).utf8)
    var point = whole.utf8.count + (halves.count > 1 ? Int(halves[1]) ?? 0 : 0)
    while digits.first == zero {
      digits.removeFirst()
      point -= 1
    }
    while digits.last == zero { digits.removeLast() }
    return (number < 0 ? "-" : "") + written(digits, point: point)
  }

  private static let zero = UInt8(ascii: "0")

  /// Digits with the decimal point after the first `point` of them.
  private static func written(_ digits: [UInt8], point: Int) -> String {
    func string(_ bytes: some Sequence<UInt8>) -> String {
      String(decoding: Array(bytes), as: UTF8.self)
    }
    let count = digits.count
    switch point {
    case count...21 where count <= 21:
      return string(digits) + String(repeating: "0", count: point - count)
    case 1...21: return string(digits[..<point]) + "." + string(digits[point...])
    case -5...0: return "0." + String(repeating: "0", count: -point) + string(digits)
    default:
      let exponent = point - 1
      let tail = count > 1 ? "." + string(digits[1...]) : ""
      return string(digits[..<1]) + tail + "e" + (exponent < 0 ? "-" : "+")
        + String(exponent.magnitude)
    }
  }

  /// The value as a number, as a comparison converts it; nil if it is not a number.
  static func number(_ value: JSON?) -> Double? {
    switch value {
    case nil, .object?, .array?: nil
    case .null?: 0
    case .bool(let flag)?: flag ? 1 : 0
    case .string(let text)?: ScriptNumber.parse(text)
    case .some(let value): value.number
    }
  }
}

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
    let digits = rest.prefix { $0.isDigit }
    return Int64((isNegative ? "-" : "") + String(Substring(digits)))
  }

  /// The value as JavaScript would serialize it, where every number is a double.
  static func rewritten(_ value: JSON) -> JSON {
    isAsWritten(value) ? value : rewriting(value)
  }

  /// Whether the value has no number that a double would change, as nearly all have.
  private static func isAsWritten(_ value: JSON) -> Bool {
    switch value {
    case .integer(let number): number.magnitude <= 1 << 53
    case .number: false
    case .array(let items): items.allSatisfy(isAsWritten)
    case .object(let object): object.entries.allSatisfy { isAsWritten($0.value) }
    case .null, .bool, .string: true
    }
  }

  private static func rewriting(_ value: JSON) -> JSON {
    switch value {
    case .integer(let number):
      guard number.magnitude > 1 << 53 else { return value }
      return whole(Double(number))
    case .number(let number): return whole(number)
    case .array(let items): return .array(items.map(rewriting))
    case .object(let object):
      return .object(JSONObject(object.entries.map { ($0.key, rewriting($0.value)) }))
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

/// Converts to lower case as JavaScript's `toLowerCase` does, which Firebase's emulator uses for addresses and ids.
enum ScriptCase {
  /// The text in lower case.
  ///
  /// Swift's `lowercased` differs in one letter: at the end of a word a capital sigma becomes ς (the
  /// condition `Final_Sigma` of the Unicode Standard, section 3.13).
  static func lowered(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.asciiLowercased }
    let scalars = Array(text.unicodeScalars)
    var lowered = ""
    for (index, scalar) in scalars.enumerated() {
      if scalar == "Σ", isLast(index, of: scalars) {
        lowered += "ς"
      } else {
        lowered += scalar.properties.lowercaseMapping
      }
    }
    return lowered
  }

  /// Whether a letter ends a word: a letter with case comes before it, and none comes after it.
  private static func isLast(_ index: Int, of scalars: [Unicode.Scalar]) -> Bool {
    func isCased(_ neighbours: some Sequence<Unicode.Scalar>) -> Bool {
      neighbours.first { !$0.properties.isCaseIgnorable }?.properties.isCased ?? false
    }
    return isCased(scalars[..<index].reversed()) && !isCased(scalars[(index + 1)...])
  }
}

/// The string order of JavaScript, in which Firebase's emulator lists accounts and tenants.
enum ScriptOrder {
  static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf16.lexicographicallyPrecedes(b.utf16)
  }
}
