import System

/// Reads the top-level strings of an XML property list.
///
/// This is a minimal parser, because thirty flat keys do not justify a C parser in this module. It rejects what a
/// property list never contains, such as entity declarations.
struct PropertyList {
  private let text: [UInt8]
  private var position = 0

  /// The string values of the outermost dictionary.
  static func strings(of text: [UInt8]) throws(Problem) -> [String: String] {
    var reader = PropertyList(text: text)
    return try reader.read()
  }

  private enum Piece: Equatable {
    case opening(String)
    case closing(String)
    case empty(String)
    case text(String)
  }

  private init(text: [UInt8]) { self.text = text }

  private mutating func read() throws(Problem) -> [String: String] {
    var strings: [String: String] = [:]
    var path: [String] = []
    var key: String?
    var content = ""
    while let piece = try next() {
      switch piece {
      case .opening(let name):
        path.append(name)
        content = ""
      case .text(let words): content += words
      case .empty:
        if path.count == 2 { key = nil }
      case .closing(let name):
        guard path.popLast() == name else { throw Self.damaged }
        guard path == ["plist", "dict"] else { continue }
        if name == "key" {
          key = content
        } else {
          if name == "string", let key { strings[key] = content }
          key = nil
        }
      }
    }
    guard path.isEmpty else { throw Self.damaged }
    return strings
  }

  private mutating func next() throws(Problem) -> Piece? {
    while position < text.count {
      guard text[position] == UInt8(ascii: "<") else {
        let start = position
        while position < text.count, text[position] != UInt8(ascii: "<") { position += 1 }
        return .text(try Self.unescaped(text[start..<position]))
      }
      if skip("<!--") {
        try skip(past: "-->")
      } else if skip("<![CDATA[") {
        let start = position
        try skip(past: "]]>")
        return .text(String(decoding: text[start..<(position - 3)], as: UTF8.self))
      } else if skip("<?") {
        try skip(past: "?>")
      } else if skip("<!") {
        let start = position
        try skip(past: ">")
        // An internal DTD subset could declare entities.
        guard !text[start..<position].contains(UInt8(ascii: "[")) else { throw Self.damaged }
      } else {
        return try tag()
      }
    }
    return nil
  }

  private mutating func tag() throws(Problem) -> Piece {
    let start = position + 1
    try skip(past: ">")
    var words = String(decoding: text[start..<(position - 1)], as: UTF8.self)[...]
    let isClosing = words.first == "/"
    let isEmpty = words.last == "/"
    if isClosing { words = words.dropFirst() }
    if isEmpty { words = words.dropLast() }
    let name = String(words.prefix { $0.isLetter })
    guard !name.isEmpty, !(isClosing && isEmpty) else { throw Self.damaged }
    if isClosing { return .closing(name) }
    return isEmpty ? .empty(name) : .opening(name)
  }

  private mutating func skip(_ mark: String) -> Bool {
    guard text[position...].starts(with: mark.utf8) else { return false }
    position += mark.utf8.count
    return true
  }

  private mutating func skip(past mark: String) throws(Problem) {
    while position < text.count {
      if skip(mark) { return }
      position += 1
    }
    throw Self.damaged
  }

  private static let damaged = Problem(
    "it is no property list that can be read",
    hint: "download GoogleService-Info.plist again, from the project's settings in the console")

  /// The text with XML's five predefined entities and numeric character references decoded.
  private static func unescaped(_ bytes: ArraySlice<UInt8>) throws(Problem) -> String {
    var result = ""
    var rest = Substring(decoding: bytes, as: UTF8.self)
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      rest = rest[start...].dropFirst()
      guard let end = rest.firstIndex(of: ";"), let scalar = scalar(rest[..<end]) else {
        throw damaged
      }
      result.unicodeScalars.append(scalar)
      rest = rest[end...].dropFirst()
    }
    return result + rest
  }

  private static func scalar(_ name: Substring) -> UnicodeScalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.first == "#" else { return nil }
      let digits = name.dropFirst()
      let isHexadecimal = digits.first == "x"
      let number = UInt32(
        isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
      return number.flatMap { UnicodeScalar($0) }
    }
  }
}
