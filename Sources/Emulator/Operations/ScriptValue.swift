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
