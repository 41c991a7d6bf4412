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

/// Percent-encoding of URI components (RFC 3986 section 2.1).
public enum PercentEncoding {
  /// Encodes everything except unreserved characters (section 2.3) as `%XX`.
  public static func encode(_ text: String) -> String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      if isUnreserved(byte) {
        encoded.append(byte)
      } else {
        encoded.append(UInt8(ascii: "%"))
        encoded.append(upper(byte >> 4))
        encoded.append(upper(byte & 0xF))
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Decodes escapes; nil when an escape is invalid or the result is not UTF-8.
  ///
  /// A plus sign means a space in form bodies and query strings, and itself elsewhere.
  public static func decode(_ text: String, plusIsSpace: Bool = false) -> String? {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return text
    }
    guard let bytes = bytes(text.utf8, plusIsSpace: plusIsSpace, keepsFaults: false) else {
      return nil
    }
    return String(utf8: bytes)
  }

  /// Decodes a form field; an invalid escape stands for itself.
  static func decodeForm(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(decoding: text, as: UTF8.self)
    }
    let bytes = bytes(text, plusIsSpace: true, keepsFaults: true) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func bytes(
    _ text: some Collection<UInt8>, plusIsSpace: Bool, keepsFaults: Bool
  ) -> [UInt8]? {
    let text = Array(text)
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      if byte == UInt8(ascii: "+"), plusIsSpace {
        decoded.append(0x20)
      } else if byte != UInt8(ascii: "%") {
        decoded.append(byte)
      } else if index + 1 < text.count, let high = Hex.value(of: text[index]),
        let low = Hex.value(of: text[index + 1])
      {
        decoded.append(high << 4 | low)
        index += 2
      } else if keepsFaults {
        decoded.append(byte)
      } else {
        return nil
      }
    }
    return decoded
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "-._~".utf8.contains(byte)
  }

  private static func upper(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + (nibble - 10)
  }
}

extension String {
  /// Decodes UTF-8 bytes (RFC 3629); nil when they are invalid.
  ///
  /// Several times as fast as `String(validating:as:)`, whose code is generic over encodings.
  public init?(utf8 bytes: [UInt8]) {
    guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
    self.init(copying: text)
  }

  /// Decodes UTF-8 bytes (RFC 3629); nil when they are invalid.
  public init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
    self.init(copying: text)
  }
}
