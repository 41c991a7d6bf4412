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
  init(packed bytes: [UInt8]) {
    list = []
    packed = PackedHeaders(bytes)
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

  mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

  /// Whether both have the same fields in the same order.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields == right.fields
  }
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
