/// A JSON value (RFC 8259), with integers separate from other numbers.
///
/// Strings and object keys are compared by their UTF-8 bytes: unlike with `String`, two encodings
/// of the same accented letter are different.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object(JSONObject)

  /// The string, if this is one.
  public var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The integer, if this is one or a number that equals one.
  public var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The number, if this is an integer or a number.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The Boolean, if this is one.
  public var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// The elements, if this is an array.
  public var array: [JSON]? {
    guard case .array(let value) = self else { return nil }
    return value
  }

  /// The members, if this is an object.
  public var object: JSONObject? {
    guard case .object(let value) = self else { return nil }
    return value
  }

  /// Whether this is `null`.
  public var isNull: Bool {
    guard case .null = self else { return false }
    return true
  }

  /// The member with that name, if this is an object that has one.
  public subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }

  /// The element at that index, if this is an array that has one.
  public subscript(index: Int) -> JSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// Parses a JSON document.
  ///
  /// Integers that fit in 64 bits stay integers. Besides invalid syntax it rejects text that is not UTF-8, lone
  /// surrogate escapes (RFC 8259 section 8.2), numbers too large for a double, and nesting beyond `maximumDepth`.
  /// Of two equal keys in an object the last wins, unless `refusesDuplicates` is set. Longer integers become doubles and
  /// may lose digits, unless `refusesLongIntegers` is set.
  ///
  /// With `isLenient` it accepts what JavaScript accepts: bytes that are not UTF-8 and lone
  /// surrogates become U+FFFD, and a number that is too large becomes infinite.
  public static func parse(
    _ bytes: [UInt8], maximumDepth: Int = 128, refusesDuplicates: Bool = false,
    isLenient: Bool = false, refusesLongIntegers: Bool = false
  ) throws(JSONError) -> JSON {
    try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) -> JSON in
      var parser = JSONParser(
        buffer, maximumDepth: maximumDepth, refusesDuplicates: refusesDuplicates,
        isLenient: isLenient, refusesLongIntegers: refusesLongIntegers)
      return try parser.document()
    }
  }

  /// Parses a JSON document from bytes that it does not copy.
  public static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = 128
  ) throws(JSONError) -> JSON {
    var parser = JSONParser(bytes, maximumDepth: maximumDepth)
    return try parser.document()
  }

  /// Parses a JSON document from text.
  public static func parse(_ text: String, maximumDepth: Int = 128) throws(JSONError) -> JSON {
    var text = text
    return try text.withUTF8 { buffer in
      Result { () throws(JSONError) -> JSON in try parse(buffer, maximumDepth: maximumDepth) }
    }.get()
  }

  /// Encodes the document as text, in one line or indented by two spaces.
  public func encoded(pretty: Bool = false, sortedKeys: Bool = false) -> String {
    var writer = JSONWriter(pretty: pretty, sortedKeys: sortedKeys)
    writer.write(self)
    return String(decoding: writer.written, as: UTF8.self)
  }

  /// Encodes the document as UTF-8 bytes, in one line or indented by two spaces.
  ///
  /// NaN and infinities, which JSON does not have, become `null`. `room` is for bytes to append without a copy.
  public func encodedBytes(
    pretty: Bool = false, sortedKeys: Bool = false, room: Int = 0
  ) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty, sortedKeys: sortedKeys)
    writer.write(self)
    guard room > 0 else { return Array(writer.written) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(writer.written.count + room)
    bytes += writer.written
    return bytes
  }

  /// Encodes the document in one line as unpadded Base64URL, for a part of a token.
  public func encodedBase64URL() -> String {
    var writer = JSONWriter(pretty: false, sortedKeys: false)
    writer.write(self)
    return Base64Alphabet.url.encode(writer.written, padded: false)
  }
}

extension JSON: Equatable {
  /// Whether both are equal; the order of object members does not matter.
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
  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }
  /// Creates a Boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// Creates an object; the last of two equal keys wins.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(JSONObject(elements))
  }
}

/// A JSON syntax error and its position.
///
/// The message never quotes the document, which may contain secrets.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The message for a duplicate key, if `refusesDuplicates` is set.
  public static let duplicateKey = "a key that is in its object already"

  /// What is wrong, in lower case and without a period.
  public let message: String
  /// The byte offset, from 0.
  public let offset: Int
  /// The line number, from 1.
  public let line: Int
  /// The column in bytes, from 1.
  public let column: Int

  /// The message with line and column.
  public var description: String { "\(message) (line \(line), column \(column))" }
}
