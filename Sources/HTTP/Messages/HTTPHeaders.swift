/// Header fields in the order they are sent; names compare without regard to ASCII case.
///
/// RFC 9110 section 5.1: field names are case-insensitive.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  /// One header line.
  public struct Field: Sendable, Equatable {
    /// The name as it was given.
    public let name: String
    /// The value without surrounding white space.
    public let value: String

    /// Creates a header line.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The lines, unless they are packed.
  // Two members and no enumeration: in the pointer of one of several payloads Swift keeps the case, and the
  // leak check, which then cannot follow it, calls the headers of every kept request lost.
  private var list: [Field]
  private var packed: PackedHeaders?

  /// Every line in order.
  public private(set) var fields: [Field] {
    get {
      packed?.fields ?? list
    }
    _modify {
      // Without a second reference, so that a change needs no copy.
      var fields = fields
      list = []
      packed = nil
      defer { list = fields }
      yield &fields
    }
  }

  /// Creates an empty set of headers.
  public init() { list = [] }

  /// Takes the lines of a request as libmicrohttpd has them.
  init(packed bytes: [UInt8]) {
    list = []
    packed = PackedHeaders(bytes)
  }

  /// Creates headers from pairs, in the order given.
  public init(dictionaryLiteral elements: (String, String)...) {
    list = elements.map { Field(name: $0.0, value: $0.1) }
  }

  /// Creates headers from pairs, in the order given.
  public init(_ pairs: [(String, String)]) {
    list = pairs.map { Field(name: $0.0, value: $0.1) }
  }

  /// The first value under a name; setting replaces every line of that name, nil removes them.
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

  /// Every value under a name, in order.
  public func all(_ name: String) -> [String] {
    fields.compactMap { isSameName($0.name, name) ? $0.value : nil }
  }

  /// Replaces every line of a name by one, kept at the place of the first.
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

  /// Adds a line and keeps those of the same name.
  public mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Removes every line of a name.
  public mutating func remove(_ name: String) {
    fields.removeAll { isSameName($0.name, name) }
  }

  mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

  /// Whether both have the same lines in the same order.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields == right.fields
  }
}

/// Compares two field names byte by byte, ASCII letters without case.
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
