import System
import Glibc

/// Header fields in the order they are sent.
///
/// Field names are case-insensitive (RFC 9110 section 5.1).
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  /// One header field.
  public struct Field: Sendable, Equatable {
    /// The name, in its original case.
    public let name: String
    /// The value without surrounding white space.
    public let value: String
  }

  /// The fields, unless they are packed.
  // Two members instead of an enumeration: Swift stores the case in the pointer of the payload. The
  // leak check cannot follow that and would report the headers of every kept request as lost.
  private var list: [Field]
  private var packed: PackedHeaders?

  /// All fields in order.
  public private(set) var fields: [Field] {
    get {
      packed?.fields ?? list
    }
    _modify {
      // The only reference, so that a change does not copy the array.
      var fields = fields
      list = []
      packed = nil
      defer { list = fields }
      yield &fields
    }
  }

  /// Creates an empty set of headers.
  public init() { list = [] }

  /// Creates headers from libmicrohttpd's data.
  init(packed bytes: [UInt8]) { self.init(PackedHeaders(bytes)) }

  /// Creates headers from packed ones.
  init(_ packed: PackedHeaders) {
    list = []
    self.packed = packed
  }

  /// Creates headers from pairs, in order.
  public init(dictionaryLiteral elements: (String, String)...) {
    list = elements.map { Field(name: $0.0, value: $0.1) }
  }

  /// Creates headers from pairs, in order.
  public init(_ pairs: [(String, String)]) {
    list = pairs.map { Field(name: $0.0, value: $0.1) }
  }

  /// The first value of a name; setting replaces all fields of that name, nil removes them.
  public subscript(name: String) -> String? {
    get {
      if let packed { return packed.first(name) }
      for field in list where isSameName(field.name, name) { return field.value }
      return nil
    }
    set {
      if let newValue { set(name, newValue) } else { remove(name) }
    }
  }

  /// Returns all values of a name, in order.
  public func all(_ name: String) -> [String] {
    fields.compactMap { isSameName($0.name, name) ? $0.value : nil }
  }

  /// Replaces all fields of a name by one, at the position of the first.
  public mutating func set(_ name: String, _ value: String) {
    guard let first = fields.firstIndex(where: { isSameName($0.name, name) }) else {
      return append(name, value)
    }
    fields[first] = Field(name: name, value: value)
    var index = fields.count - 1
    while index > first {
      if isSameName(fields[index].name, name) { fields.remove(at: index) }
      index -= 1
    }
  }

  /// Adds a field and keeps those of the same name.
  public mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Removes all fields of a name.
  public mutating func remove(_ name: String) {
    fields.removeAll { isSameName($0.name, name) }
  }

  /// Whether both have the same fields in the same order.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields == right.fields
  }

  /// The server's Retry-After, in seconds or as a date (RFC 9110 section 10.2.3).
  ///
  /// A date is compared with the response's own Date, so that a wrong local clock does not matter.
  /// `now`, in seconds since 1970, is used if that is missing.
  public func retryAfter(now: Int64? = nil) -> Duration? {
    guard let text = self["Retry-After"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ $0.isDigit }) {
      // Clamp numbers that do not fit in an integer.
      return .seconds(min(Int64(text) ?? .max, Self.longestWait))
    }
    guard let date = HTTPDate.seconds(parsing: text) else { return nil }
    let sent = self["Date"].flatMap { HTTPDate.seconds(parsing: $0) } ?? now ?? Int64(time(nil))
    return .seconds(min(max(date - sent, 0), Self.longestWait))
  }

  /// One year in seconds.
  private static let longestWait: Int64 = 31_536_000
}

/// Compares two field names, ignoring ASCII case.
func isSameName(_ one: String, _ other: String) -> Bool {
  let left = one.utf8
  let right = other.utf8
  guard left.count == right.count else { return false }
  var index = right.startIndex
  for byte in left {
    if lowercased(byte) != lowercased(right[index]) { return false }
    right.formIndex(after: &index)
  }
  return true
}

@inline(__always)
func lowercased(_ byte: UInt8) -> UInt8 {
  byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
}

/// The headers of a message in one array, because few of them are read.
///
/// Each field is stored as the lengths of name and value, four bytes each, followed by both.
struct PackedHeaders: Sendable {
  private var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func append(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) {
    for count in [name.count, value.count] {
      withUnsafeBytes(of: UInt32(count)) { bytes.append(contentsOf: $0) }
    }
    bytes.append(contentsOf: name)
    bytes.append(contentsOf: value)
  }

  var fields: [HTTPHeaders.Field] {
    var fields: [HTTPHeaders.Field] = []
    scan { name, value in
      fields.append(HTTPHeaders.Field(name: text(name), value: text(value)))
      return true
    }
    return fields
  }

  func first(_ name: String) -> String? {
    var name = name
    var found: String?
    name.withUTF8 { wanted in
      scan { name, value in
        guard Self.isSame(name, wanted) else { return true }
        found = text(value)
        return false
      }
    }
    return found
  }

  /// Passes each field to `body` until that returns false.
  private func scan(
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) {
    bytes.withUnsafeBytes { bytes in
      var position = 0
      while position < bytes.count {
        let name = Int(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
        let value = Int(bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
        let start = position + 8
        position = start + name + value
        let goesOn = body(
          UnsafeRawBufferPointer(rebasing: bytes[start..<(start + name)]),
          UnsafeRawBufferPointer(rebasing: bytes[(start + name)..<position]))
        if !goesOn { return }
      }
    }
  }

  private static func isSame(
    _ name: UnsafeRawBufferPointer, _ other: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard name.count == other.count else { return false }
    for index in other.indices where lowercased(name[index]) != lowercased(other[index]) {
      return false
    }
    return true
  }

  private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}

/// Parses the date of a header as leniently as a cookie's Expires (RFC 6265, section 5.1.1).
public enum HTTPDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Returns seconds since 1970; nil when day, month, year or time is missing or out of range.
  public static func seconds(parsing text: String) -> Int64? {
    var day: Int?
    var month: Int?
    var year: Int?
    var time: [Int]?
    let isDelimiter: (Character) -> Bool = { !$0.isLetter && !$0.isNumber && $0 != ":" }
    for token in text.split(whereSeparator: isDelimiter) {
      if time == nil, token.contains(":") {
        let parts = token.split(separator: ":").map { Int($0.prefix(while: \.isNumber)) }
        if parts.count == 3 { time = parts.compactMap { $0 } }
        continue
      }
      let digits = token.prefix(while: \.isNumber)
      if day == nil, digits.count == 1 || digits.count == 2 {
        day = Int(digits)
        continue
      }
      if month == nil, let index = months.firstIndex(of: token.prefix(3).lowercased()) {
        month = index + 1
        continue
      }
      if year == nil, digits.count == 2 || digits.count == 4, let number = Int(digits) {
        year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number
      }
    }
    guard let day, let month, let year, let time, time.count == 3, (1...31).contains(day),
      year >= 1601, (0...23).contains(time[0]), (0...59).contains(time[1]),
      (0...59).contains(time[2])
    else { return nil }
    return days(year: year, month: month, day: day) * 86_400
      + Int64(time[0] * 3600 + time[1] * 60 + time[2])
  }

  /// Days since 1970-01-01 in the Gregorian calendar, with years that begin in March.
  private static func days(year: Int, month: Int, day: Int) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Int64(era * 146_097 + dayOfEra - 719_468)
  }
}
