import System

/// Reads the strings of a JavaScript object, as the console shows it for web apps:
/// `const firebaseConfig = { apiKey: "…", … };`, possibly among other lines.
struct ScriptObject {
  private let text: [UInt8]
  private var position: Int

  /// The string values of the object named firebaseConfig, or else of the first object.
  static func strings(of text: [UInt8]) throws(Problem) -> [String: String] {
    let start = first("firebaseConfig", in: text) ?? first("initializeApp", in: text) ?? 0
    guard let brace = text[start...].firstIndex(of: UInt8(ascii: "{")) else { throw unknown }
    var reader = ScriptObject(text: text, position: brace + 1)
    return try reader.read()
  }

  private static let unknown = Problem(
    "it is no configuration of an app",
    hint:
      "give it GoogleService-Info.plist, google-services.json, or the firebaseConfig of a web app")

  /// The position where a name is assigned or called, and not only mentioned.
  private static func first(_ name: String, in text: [UInt8]) -> Int? {
    let name = Array(name.utf8)
    var start = 0
    while start + name.count <= text.count {
      if text[start] == name[0], text[start...].starts(with: name) {
        let next = text[(start + name.count)...].first { $0 > 0x20 }
        if let next, [UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "(")].contains(next) {
          return start
        }
      }
      start += 1
    }
    return nil
  }

  private init(text: [UInt8], position: Int) {
    self.text = text
    self.position = position
  }

  private mutating func read() throws(Problem) -> [String: String] {
    var strings: [String: String] = [:]
    while let byte = peek() {
      if byte == UInt8(ascii: "}") { return strings }
      if byte == UInt8(ascii: ",") {
        position += 1
        continue
      }
      let key = Self.isQuote(byte) ? try quoted() : word()
      guard !key.isEmpty, peek() == UInt8(ascii: ":") else { throw Self.unknown }
      position += 1
      if let quote = peek(), Self.isQuote(quote) {
        strings[key] = try quoted()
      } else {
        try skipValue()
      }
    }
    throw Self.unknown
  }

  /// The next byte that is not part of white space or a comment.
  private mutating func peek() -> UInt8? {
    while position < text.count {
      let rest = text[position...]
      if rest.starts(with: "//".utf8) {
        position = rest.firstIndex(of: 0x0A) ?? text.count
      } else if rest.starts(with: "/*".utf8) {
        position += 2
        while position < text.count, !text[position...].starts(with: "*/".utf8) { position += 1 }
        position += 2
      } else if text[position] > 0x20 {
        return text[position]
      } else {
        position += 1
      }
    }
    return nil
  }

  private static func isQuote(_ byte: UInt8) -> Bool {
    [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`")].contains(byte)
  }

  private mutating func quoted() throws(Problem) -> String {
    let quote = text[position]
    position += 1
    var bytes: [UInt8] = []
    while position < text.count, text[position] != quote {
      // The values contain no escapes except for slashes and quotes.
      if text[position] == UInt8(ascii: "\\") { position += 1 }
      guard position < text.count else { break }
      bytes.append(text[position])
      position += 1
    }
    guard position < text.count else { throw Self.unknown }
    position += 1
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func word() -> String {
    let start = position
    while position < text.count, Self.isWord(text[position]) { position += 1 }
    return String(decoding: text[start..<position], as: UTF8.self)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "_$".utf8.contains(byte)
  }

  /// Skips a value that is not a string: a number, a name, a list or an object.
  private mutating func skipValue() throws(Problem) {
    var depth = 0
    while let byte = peek() {
      if Self.isQuote(byte) {
        _ = try quoted()
        continue
      }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"):
        if depth == 0 { return }
        depth -= 1
      case UInt8(ascii: ","):
        if depth == 0 { return }
      default: break
      }
      position += 1
    }
    throw Self.unknown
  }
}
