/// The fields of a query string or a form body, in order and with repetitions.
public struct FormFields: Sendable {
  /// A name and a value.
  public typealias Pair = (name: String, value: String)

  /// The pairs in order.
  public private(set) var pairs: [Pair]

  /// Creates fields from pairs.
  public init(_ pairs: [(String, String)] = []) {
    self.pairs = pairs.map { (name: $0.0, value: $0.1) }
  }

  /// Parses `a=1&b=2`, with `+` for a space.
  ///
  /// Never fails, like browsers: a name without `=` has an empty value, and an invalid escape stands for itself.
  public init(parsing text: String) {
    pairs = []
    var text = text
    text.withUTF8 { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
        let piece = bytes[start..<end]
        start = end + 1
        guard !piece.isEmpty else { continue }
        let mark = piece.firstIndex(of: UInt8(ascii: "="))
        append(
          PercentEncoding.decodeForm(piece[..<(mark ?? end)]),
          mark.map { PercentEncoding.decodeForm(piece[($0 + 1)...]) } ?? "")
      }
    }
  }

  /// Whether there are no pairs.
  public var isEmpty: Bool { pairs.isEmpty }

  /// The first value of a name.
  public subscript(name: String) -> String? {
    pairs.first { sameBytes($0.name, name) }?.value
  }

  /// Returns all values of a name, in order.
  public func all(_ name: String) -> [String] {
    pairs.filter { sameBytes($0.name, name) }.map(\.value)
  }

  /// Appends a pair, even if the name exists.
  public mutating func append(_ name: String, _ value: String) {
    pairs.append((name: name, value: value))
  }

  /// The pairs as `a=1&b=2`, with `%20` for a space, which is valid in queries and bodies.
  public var encoded: String {
    pairs
      .map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
      .joined(separator: "&")
  }
}

extension FormFields: Equatable {
  /// Whether both have the same pairs in the same order, compared by bytes.
  public static func == (left: FormFields, right: FormFields) -> Bool {
    left.pairs.elementsEqual(right.pairs) {
      sameBytes($0.name, $1.name) && sameBytes($0.value, $1.value)
    }
  }
}
