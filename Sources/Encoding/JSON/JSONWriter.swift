/// Appends JSON values to one growing byte buffer.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private let pretty: Bool
  private let sortedKeys: Bool
  private var indentation = 0

  init(pretty: Bool, sortedKeys: Bool) {
    self.pretty = pretty
    self.sortedKeys = sortedKeys
    bytes.reserveCapacity(256)
  }

  mutating func write(_ value: JSON) {
    switch value {
    case .null: append("null")
    case .bool(true): append("true")
    case .bool(false): append("false")
    case .integer(let value): write(value)
    case .number(let value):
      if value.isFinite { bytes.append(contentsOf: value.description.utf8) } else { append("null") }
    case .string(let text): write(text)
    case .array(let elements): write(elements)
    case .object(let object): write(object)
    }
  }

  private mutating func write(_ elements: [JSON]) {
    bytes.append(UInt8(ascii: "["))
    guard !elements.isEmpty else { return bytes.append(UInt8(ascii: "]")) }
    indentation += 1
    var isFirst = true
    for element in elements {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      breakLine()
      write(element)
    }
    indentation -= 1
    breakLine()
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ object: JSONObject) {
    bytes.append(UInt8(ascii: "{"))
    guard !object.isEmpty else { return bytes.append(UInt8(ascii: "}")) }
    indentation += 1
    var isFirst = true
    for (key, value) in sortedKeys ? sorted(object.entries) : object.entries {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      breakLine()
      write(key)
      bytes.append(UInt8(ascii: ":"))
      if pretty { bytes.append(UInt8(ascii: " ")) }
      write(value)
    }
    indentation -= 1
    breakLine()
    bytes.append(UInt8(ascii: "}"))
  }

  private func sorted(_ entries: [JSONObject.Entry]) -> [JSONObject.Entry] {
    entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  private mutating func write(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { content in
      // Copy whole runs; only quotes, backslashes and control characters must be escaped.
      var runStart = 0
      for index in content.indices {
        let byte = content[index]
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
          continue
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: content[runStart..<index]))
        escape(byte)
        runStart = index + 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: content[runStart...]))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): append("\\", byte)
    case 0x08: append("\\b")
    case 0x0C: append("\\f")
    case 0x0A: append("\\n")
    case 0x0D: append("\\r")
    case 0x09: append("\\t")
    default:
      append("\\u00")
      bytes.append(Hex.digit(byte >> 4))
      bytes.append(Hex.digit(byte & 0xF))
    }
  }

  private mutating func breakLine() {
    guard pretty else { return }
    bytes.append(0x0A)
    for _ in 0..<indentation { append("  ") }
  }

  private mutating func append(_ text: StaticString, _ byte: UInt8? = nil) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    if let byte { bytes.append(byte) }
  }
}
