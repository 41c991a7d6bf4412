/// A recursive descent parser for a JSON document (RFC 8259).
///
/// It borrows the bytes, so it must not outlive them.
struct JSONParser {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var depth = 0
  private let maximumDepth: Int
  private let refusesDuplicates: Bool
  private let isLenient: Bool
  private let refusesLongIntegers: Bool

  init(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, refusesDuplicates: Bool = false,
    isLenient: Bool = false, refusesLongIntegers: Bool = false
  ) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    self.refusesDuplicates = refusesDuplicates
    self.isLenient = isLenient
    self.refusesLongIntegers = refusesLongIntegers
  }

  mutating func document() throws(JSONError) -> JSON {
    skipSpace()
    let value = try value()
    skipSpace()
    guard position == bytes.count else { throw fault("more text after the document") }
    return value
  }

  private mutating func value() throws(JSONError) -> JSON {
    guard position < bytes.count else { throw fault("the document ends too early") }
    switch bytes[position] {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "t"):
      try literal("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try literal("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try literal("null")
      return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw fault("expected a value")
    }
  }

  private mutating func object() throws(JSONError) -> JSONObject {
    try enter()
    var object = JSONObject()
    if take(UInt8(ascii: "}")) {
      depth -= 1
      return object
    }
    object.reserveCapacity(4)
    // One bit per hash of a key; a key with a new hash cannot be a duplicate.
    var kinds: UInt64 = 0
    repeat {
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
        throw fault("expected a key in double quotes")
      }
      let place = position
      let key = try string()
      let kind = kind(of: key, at: place)
      guard take(UInt8(ascii: ":")) else { throw fault("expected a colon after the key") }
      skipSpace()
      if kinds & kind == 0 {
        object.append(key, try value())
        kinds |= kind
      } else if refusesDuplicates, object[key] != nil {
        throw fault(JSONError.duplicateKey, at: place)
      } else {
        object.set(key, try value())
      }
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw fault("expected a comma or a closing brace") }
    depth -= 1
    return object
  }

  /// Returns one bit as a hash of the key whose opening quote is here: equal for equal keys, rarely equal for others.
  @inline(__always)
  private func kind(of key: String, at place: Int) -> UInt64 {
    let length = position - place - 2
    guard length > 0 else { return 1 }
    // Nothing was escaped or replaced if the length is the same, unless bytes that are not UTF-8 are accepted.
    if !isLenient, key.utf8.count == length {
      return Self.kind(length, bytes[place + 1], bytes[place + length])
    }
    var key = key
    return key.withUTF8 { $0.isEmpty ? 1 : Self.kind($0.count, $0[0], $0[$0.count - 1]) }
  }

  private static func kind(_ count: Int, _ first: UInt8, _ last: UInt8) -> UInt64 {
    1 << UInt64((count &* 5 &+ Int(first) &* 3 &+ Int(last)) & 63)
  }

  private mutating func array() throws(JSONError) -> [JSON] {
    try enter()
    var elements: [JSON] = []
    if take(UInt8(ascii: "]")) {
      depth -= 1
      return elements
    }
    repeat {
      skipSpace()
      elements.append(try value())
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw fault("expected a comma or a closing bracket") }
    depth -= 1
    return elements
  }

  private mutating func string() throws(JSONError) -> String {
    position += 1
    let start = position
    var isASCII = skipPlain()
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        let run = UnsafeBufferPointer(rebasing: bytes[start..<position])
        position += 1
        if isASCII { return String(decoding: run, as: UTF8.self) }
        return try text(run, from: start)
      }
      if byte == UInt8(ascii: "\\") { return try stringWithEscapes(from: start) }
      guard byte >= 0x20 else { throw fault("a control character in a string; escape it") }
      if byte >= 0x80 { isASCII = false }
      position += 1
    }
    throw fault("a string without its closing quote")
  }

  /// Skips the bytes before the first special character, eight at a time, but for the document's last ones.
  ///
  /// - Returns: Whether they are all ASCII.
  @inline(__always)
  private mutating func skipPlain() -> Bool {
    let raw = UnsafeRawBufferPointer(bytes)
    var seen: UInt64 = 0
    while position + 8 <= raw.count {
      let word = UInt64(
        littleEndian: raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      let plain = ByteWord.plainBits(word)
      guard plain < 64 else {
        seen |= word
        position += 8
        continue
      }
      seen |= word & (1 << UInt64(plain) - 1)
      position += plain / 8
      break
    }
    return ByteWord.isASCII(seen)
  }

  private mutating func stringWithEscapes(from start: Int) throws(JSONError) -> String {
    var content = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return try content.withUnsafeBufferPointer { (run) throws(JSONError) -> String in
          try text(run, from: start)
        }
      case UInt8(ascii: "\\"): try escape(into: &content)
      case 0..<0x20: throw fault("a control character in a string; escape it")
      default:
        content.append(byte)
        position += 1
      }
    }
    throw fault("a string without its closing quote")
  }

  private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
    guard position + 1 < bytes.count else { throw fault("a string without its closing quote") }
    let letter = bytes[position + 1]
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(letter)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"):
      content.append(contentsOf: String(try escapedScalar()).utf8)
      return
    default: throw fault("an unknown escape in a string")
    }
    position += 2
  }

  private mutating func escapedScalar() throws(JSONError) -> Character {
    let first = try escapedUnit()
    guard first & 0xF800 == 0xD800 else { return try character(first) }
    guard first < 0xDC00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return try loneSurrogate() }
    let place = position
    let second = try escapedUnit()
    guard second & 0xFC00 == 0xDC00 else {
      position = place
      return try loneSurrogate()
    }
    return try character(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
  }

  private func character(_ value: UInt32) throws(JSONError) -> Character {
    guard let scalar = Unicode.Scalar(value) else { return try loneSurrogate() }
    return Character(scalar)
  }

  private func loneSurrogate() throws(JSONError) -> Character {
    guard isLenient else { throw fault("half of a surrogate pair in a string") }
    return "\u{FFFD}"
  }

  /// Reads `\uXXXX` at the current position.
  private mutating func escapedUnit() throws(JSONError) -> UInt32 {
    guard position + 6 <= bytes.count else { throw fault("expected four hexadecimal digits") }
    var value: UInt32 = 0
    for digit in bytes[(position + 2)..<(position + 6)] {
      guard let nibble = Hex.value(of: digit) else {
        throw fault("expected four hexadecimal digits")
      }
      value = value << 4 | UInt32(nibble)
    }
    position += 6
    return value
  }

  private func text(_ run: UnsafeBufferPointer<UInt8>, from start: Int) throws(JSONError) -> String
  {
    if let text = String(utf8: run) { return text }
    guard isLenient else { throw fault("a string that is not UTF-8", at: start) }
    return String(decoding: run, as: UTF8.self)
  }

  private mutating func number() throws(JSONError) -> JSON {
    let start = position
    let isNegative = bytes[position] == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let firstDigit = position
    // Counting down reaches Int64.min, which has no positive counterpart.
    var value: Int64 = 0
    var fits = true
    while let digit = digit() {
      let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (difference, passed) = product.subtractingReportingOverflow(Int64(digit))
      value = difference
      if overflowed || passed { fits = false }
    }
    guard position > firstDigit else { throw fault("expected a digit") }
    if bytes[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 {
      throw fault("a number with a leading zero", at: firstDigit)
    }
    let isInteger = try fractionAndExponent()
    if isInteger, fits {
      // "-0" becomes a double, because an integer would lose the sign.
      if isNegative { return value == 0 ? .number(-0.0) : .integer(value) }
      if value != Int64.min { return .integer(-value) }
    }
    guard !isInteger || !refusesLongIntegers else {
      throw fault(
        "an integer of more than 64 bits, which would lose digits: write it as a string", at: start)
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let number = Double(text), isLenient || number.isFinite else {
      throw fault("a number that is too large", at: start)
    }
    return .number(number)
  }

  /// Skips fraction and exponent; returns true when there are none.
  private mutating func fractionAndExponent() throws(JSONError) -> Bool {
    var isInteger = true
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      guard digit() != nil else { throw fault("expected a digit after the decimal point") }
      while digit() != nil {}
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position += 1
      if position < bytes.count,
        bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
      {
        position += 1
      }
      guard digit() != nil else { throw fault("expected a digit in the exponent") }
      while digit() != nil {}
    }
    return isInteger
  }

  @inline(__always)
  private mutating func digit() -> UInt8? {
    guard position < bytes.count else { return nil }
    let value = bytes[position] &- UInt8(ascii: "0")
    guard value < 10 else { return nil }
    position += 1
    return value
  }

  private mutating func literal(_ word: StaticString) throws(JSONError) {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count else { throw fault("expected a value") }
    for index in 0..<word.utf8CodeUnitCount
    where bytes[position + index] != word.utf8Start[index] {
      throw fault("expected a value")
    }
    position = end
  }

  private mutating func enter() throws(JSONError) {
    depth += 1
    guard depth <= maximumDepth else { throw fault("nested deeper than \(maximumDepth) levels") }
    position += 1
  }

  /// Skips white space, then the byte if it is next.
  @inline(__always)
  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  @inline(__always)
  private mutating func skipSpace() {
    // Fast path: most documents have no white space.
    guard position < bytes.count, bytes[position] <= 0x20 else { return }
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private func fault(_ message: String, at offset: Int? = nil) -> JSONError {
    let offset = min(offset ?? position, bytes.count)
    var line = 1
    var lineStart = 0
    for index in 0..<offset where bytes[index] == 0x0A {
      line += 1
      lineStart = index + 1
    }
    return JSONError(message: message, offset: offset, line: line, column: offset - lineStart + 1)
  }
}

/// Checks eight bytes of a text at once.
///
/// Subtracting a larger value from a byte borrows and thereby sets its highest bit. A borrow can also reach the
/// next higher byte, so a check may return true wrongly if a lower byte matched; false is always right.
enum ByteWord {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// Whether one of the bytes may be a quote, a backslash or a control character.
  @inline(__always)
  static func needsCare(_ word: UInt64) -> Bool { special(word) != 0 }

  /// How many bits, from the lowest, belong to bytes that are none of these; 64 if no byte is.
  @inline(__always)
  static func plainBits(_ word: UInt64) -> Int { special(word).trailingZeroBitCount & ~7 }

  /// The highest bits of the bytes that are a quote, a backslash or a control character; the lowest of them is always right.
  @inline(__always)
  private static func special(_ word: UInt64) -> UInt64 {
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    let found =
      ((word &- ones &* 0x20) & ~word) | ((quotes &- ones) & ~quotes)
      | ((backslashes &- ones) & ~backslashes)
    return found & highs
  }

  /// Whether all bytes are ASCII.
  @inline(__always)
  static func isASCII(_ word: UInt64) -> Bool { word & highs == 0 }
}
