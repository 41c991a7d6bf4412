/// Appends JSON values to a growing byte buffer.
///
/// The buffer is raw memory, because an array checks uniqueness and capacity for each byte. Callers
/// of `put` must reserve the maximum first.
struct JSONWriter: ~Copyable {
  private var buffer: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var count = 0
  private let pretty: Bool
  private let sortedKeys: Bool
  private var indentation = 0

  init(pretty: Bool, sortedKeys: Bool) {
    self.pretty = pretty
    self.sortedKeys = sortedKeys
    capacity = 512
    buffer = .allocate(capacity: capacity)
  }

  deinit { buffer.deallocate() }

  /// The bytes written so far; valid until the next write.
  var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: buffer, count: count) }

  mutating func write(_ value: JSON) {
    switch value {
    case .null: append("null")
    case .bool(true): append("true")
    case .bool(false): append("false")
    case .integer(let value): write(value)
    case .number(let value):
      if value.isFinite { write(bytesOf: value.description) } else { append("null") }
    case .string(let text): write(text)
    case .array(let elements): write(elements)
    case .object(let object): write(object)
    }
  }

  private mutating func write(_ elements: [JSON]) {
    append(UInt8(ascii: "["))
    guard !elements.isEmpty else { return append(UInt8(ascii: "]")) }
    indentation += 1
    var isFirst = true
    for element in elements {
      if !isFirst { append(UInt8(ascii: ",")) }
      isFirst = false
      breakLine()
      write(element)
    }
    indentation -= 1
    breakLine()
    append(UInt8(ascii: "]"))
  }

  private mutating func write(_ object: JSONObject) {
    append(UInt8(ascii: "{"))
    guard !object.isEmpty else { return append(UInt8(ascii: "}")) }
    indentation += 1
    var isFirst = true
    for (key, value) in sortedKeys ? sorted(object.entries) : object.entries {
      if !isFirst { append(UInt8(ascii: ",")) }
      isFirst = false
      breakLine()
      write(key)
      append(UInt8(ascii: ":"))
      if pretty { append(UInt8(ascii: " ")) }
      write(value)
    }
    indentation -= 1
    breakLine()
    append(UInt8(ascii: "}"))
  }

  private func sorted(_ entries: [JSONObject.Entry]) -> [JSONObject.Entry] {
    entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  private mutating func write(_ value: Int64) {
    // The longest integer is Int64.min with its sign.
    reserve(20)
    var rest = value.magnitude
    var length = value < 0 ? 2 : 1
    var limit: UInt64 = 10
    while rest >= limit {
      length += 1
      let (next, isBeyond) = limit.multipliedReportingOverflow(by: 10)
      if isBeyond { break }
      limit = next
    }
    if value < 0 { buffer[count] = UInt8(ascii: "-") }
    count += length
    var position = count
    repeat {
      position -= 1
      buffer[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
  }

  private mutating func write(bytesOf text: String) {
    var text = text
    text.withUTF8 { content in
      reserve(content.count)
      for byte in content { put(byte) }
    }
  }

  private mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { content in
      // At most six bytes per byte, as \u00XX, and the quotes.
      reserve(content.count * 6 + 2)
      put(UInt8(ascii: "\""))
      write(content: content)
      put(UInt8(ascii: "\""))
    }
  }

  /// Copies eight bytes at a time; words with special characters are copied byte by byte.
  private mutating func write(content: UnsafeBufferPointer<UInt8>) {
    let source = UnsafeRawBufferPointer(content)
    var index = 0
    while index + 8 <= source.count {
      let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if ByteWord.needsCare(word) {
        for byte in content[index..<(index + 8)] { putEscaped(byte) }
      } else {
        UnsafeMutableRawPointer(buffer + count).storeBytes(of: word, as: UInt64.self)
        count += 8
      }
      index += 8
    }
    while index < content.count {
      putEscaped(content[index])
      index += 1
    }
  }

  // MARK: Without reserving memory

  @inline(__always)
  private mutating func put(_ byte: UInt8) {
    buffer[count] = byte
    count += 1
  }

  private mutating func put(_ byte: UInt8, after prefix: UInt8) {
    put(prefix)
    put(byte)
  }

  @inline(__always)
  private mutating func putEscaped(_ byte: UInt8) {
    if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      put(byte)
    } else {
      putEscape(byte)
    }
  }

  private mutating func putEscape(_ byte: UInt8) {
    let backslash = UInt8(ascii: "\\")
    switch byte {
    case UInt8(ascii: "\""), backslash: put(byte, after: backslash)
    case 0x08: put(UInt8(ascii: "b"), after: backslash)
    case 0x0C: put(UInt8(ascii: "f"), after: backslash)
    case 0x0A: put(UInt8(ascii: "n"), after: backslash)
    case 0x0D: put(UInt8(ascii: "r"), after: backslash)
    case 0x09: put(UInt8(ascii: "t"), after: backslash)
    default:
      put(UInt8(ascii: "u"), after: backslash)
      put(UInt8(ascii: "0"), after: UInt8(ascii: "0"))
      put(Hex.digit(byte & 0xF), after: Hex.digit(byte >> 4))
    }
  }

  // MARK: With reserving memory

  private mutating func breakLine() {
    guard pretty else { return }
    append(0x0A)
    for _ in 0..<indentation { append("  ") }
  }

  @inline(__always)
  private mutating func append(_ byte: UInt8) {
    reserve(1)
    put(byte)
  }

  private mutating func append(_ text: StaticString) {
    reserve(text.utf8CodeUnitCount)
    (buffer + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if capacity - count < more { grow(more) }
  }

  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: buffer, count: count)
    buffer.deallocate()
    buffer = larger
  }
}
