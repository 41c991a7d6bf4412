/// A JSON value as RFC 8259 defines it, with integers kept apart from other numbers.
///
/// Strings and object keys are compared by their UTF-8 bytes: two spellings of one accented letter
/// are two different values here, unlike with `String`.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object(JSONObject)
}

extension JSON {
  /// The text, when this is a string.
  public var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The whole number, when this is an integer or a number without a fraction that fits.
  public var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The number, when this is an integer or a number.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The truth value, when this is one.
  public var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// The elements, when this is an array.
  public var array: [JSON]? {
    guard case .array(let value) = self else { return nil }
    return value
  }

  /// The members, when this is an object.
  public var object: JSONObject? {
    guard case .object(let value) = self else { return nil }
    return value
  }

  /// Whether this is `null`.
  public var isNull: Bool {
    guard case .null = self else { return false }
    return true
  }

  /// The member of that name, when this is an object that has one.
  public subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }

  /// The element at that position, when this is an array that reaches so far.
  public subscript(index: Int) -> JSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}

extension JSON: Equatable {
  /// Whether both are the same value; the order of object members does not count.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): sameBytes(a, b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Makes `null`.
  public init(nilLiteral: ()) { self = .null }
  /// Makes a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Makes a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Makes an array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// Makes an object; the last of two equal keys wins.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(JSONObject(elements))
  }
}

extension JSON {
  /// Reads one JSON document, and nothing after it but white space.
  ///
  /// Integers that fit 64 bits stay integers. Refused, besides bad grammar: text that is not UTF-8,
  /// lone surrogate escapes (RFC 8259 section 8.2), numbers too large for a double, and nesting
  /// deeper than the limit. Of two equal keys in one object the last wins, or is refused where that is
  /// wanted.
  ///
  /// The lenient form reads what JavaScript's parser reads: bytes that are not UTF-8 and lone surrogates
  /// become U+FFFD, and a number too large is infinite.
  public static func parse(
    _ bytes: [UInt8], maximumDepth: Int = 128, refusesDuplicates: Bool = false,
    isLenient: Bool = false
  ) throws(JSONError) -> JSON {
    try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) -> JSON in
      var parser = JSONParser(
        buffer, maximumDepth: maximumDepth, refusesDuplicates: refusesDuplicates,
        isLenient: isLenient)
      return try parser.document()
    }
  }

  /// Reads one JSON document from text, as the other `parse` does from bytes.
  public static func parse(_ text: String, maximumDepth: Int = 128) throws(JSONError) -> JSON {
    var text = text
    return try text.withUTF8 { buffer in
      Result { () throws(JSONError) -> JSON in
        var parser = JSONParser(buffer, maximumDepth: maximumDepth)
        return try parser.document()
      }
    }.get()
  }

  /// The document as text, in one line or indented by two spaces.
  public func encoded(pretty: Bool = false, sortedKeys: Bool = false) -> String {
    var writer = JSONWriter(pretty: pretty, sortedKeys: sortedKeys)
    writer.write(self)
    return String(decoding: writer.written, as: UTF8.self)
  }

  /// The document as UTF-8 bytes, in one line or indented by two spaces.
  ///
  /// Not-a-number and the infinities, which JSON lacks, become `null`.
  public func encodedBytes(pretty: Bool = false, sortedKeys: Bool = false) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty, sortedKeys: sortedKeys)
    writer.write(self)
    return Array(writer.written)
  }

  /// The document in one line as unpadded base 64 for URLs, as a part of a token.
  public func encodedBase64URL() -> String {
    var writer = JSONWriter(pretty: false, sortedKeys: false)
    writer.write(self)
    return Base64Alphabet.url.encode(writer.written, padded: false)
  }
}
