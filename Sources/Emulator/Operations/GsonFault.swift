internal import System

/// The error of Gson, the JSON library of Google's servers, for a text that it cannot read.
///
/// Gson reads more than JSON: names without quotes, single quotes, `=` for a colon. It stops at another place than a
/// strict parser, so its message needs its grammar.
struct GsonFault: Error {
  let message: String

  /// The message for a text that is not JSON; nil for an object that Gson reads.
  static func message(of text: String) -> String? {
    var reader = Reader(text)
    do throws(GsonFault) {
      try reader.value(in: .document)
      guard reader.next() == nil else { return "Did not consume the entire document." }
      let blanks = [" ", "\n", "\r", "\t"] as [Unicode.Scalar]
      let first = text.unicodeScalars.first { !blanks.contains($0) }
      return first == "{" ? nil : "Not a JSON Object: \(JSON.string(text).encoded())"
    } catch {
      return error.message
    }
  }

  private enum Place {
    case document, array, object
  }

  private struct Reader {
    private let text: [UInt16]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var path: [String] = []

    init(_ text: String) {
      self.text = Array(text.utf16)
    }

    mutating func value(in place: Place) throws(GsonFault) {
      guard let unit = next() else { throw end() }
      switch unit {
      case Self.unit("{"): try object()
      case Self.unit("["): try array()
      case Self.unit("\""), Self.unit("'"): _ = try string(endingWith: unit)
      case Self.unit("]"), Self.unit(","), Self.unit(";"):
        // An empty place between the commas of a list means null.
        guard place == .array else { throw fault("Unexpected value") }
        position -= 1
      default:
        position -= 1
        guard Self.isLiteral(unit) else { throw fault("Expected value") }
        _ = literal()
      }
    }

    private mutating func object() throws(GsonFault) {
      path.append(".")
      var isFirst = true
      while true {
        if !isFirst {
          guard let unit = next() else { throw end() }
          if unit == Self.unit("}") { break }
          guard unit == Self.unit(",") || unit == Self.unit(";") else {
            throw fault("Unterminated object")
          }
        }
        guard let unit = next() else { throw end() }
        if unit == Self.unit("}") {
          guard isFirst else { throw fault("Expected name") }
          break
        }
        try name(startingWith: unit)
        guard let sign = next() else { throw end() }
        if sign == Self.unit("=") {
          if peek() == Self.unit(">") { position += 1 }
        } else if sign != Self.unit(":") {
          throw fault("Expected ':'")
        }
        try value(in: .object)
        isFirst = false
      }
      path.removeLast()
    }

    private mutating func name(startingWith unit: UInt16) throws(GsonFault) {
      let name: String
      if unit == Self.unit("\"") || unit == Self.unit("'") {
        name = try string(endingWith: unit)
      } else {
        position -= 1
        guard Self.isLiteral(unit) else { throw fault("Expected name") }
        name = literal()
      }
      path[path.count - 1] = "." + name
    }

    private mutating func array() throws(GsonFault) {
      path.append("[0]")
      var count = 0
      while true {
        guard let unit = next() else { throw end() }
        if unit == Self.unit("]") { break }
        if count == 0 {
          position -= 1
        } else if unit != Self.unit(",") && unit != Self.unit(";") {
          throw fault("Unterminated array")
        }
        try value(in: .array)
        count += 1
        path[path.count - 1] = "[\(count)]"
      }
      path.removeLast()
    }

    private mutating func string(endingWith quote: UInt16) throws(GsonFault) -> String {
      let start = position
      while let unit = peek() {
        position += 1
        if unit == quote {
          return String(decoding: text[start..<position - 1], as: UTF16.self)
        }
        if unit == Self.unit("\\") { position += 1 }
        if unit == Self.unit("\n") { startLine() }
      }
      position = text.count
      throw fault("Unterminated string")
    }

    private mutating func literal() -> String {
      let start = position
      while let unit = peek(), Self.isLiteral(unit) { position += 1 }
      return String(decoding: text[start..<position], as: UTF16.self)
    }

    /// Reads the next character that is not blank.
    mutating func next() -> UInt16? {
      while let unit = peek() {
        position += 1
        switch unit {
        case Self.unit("\n"): startLine()
        case Self.unit(" "), Self.unit("\r"), Self.unit("\t"): break
        default: return unit
        }
      }
      return nil
    }

    private func peek() -> UInt16? { position < text.count ? text[position] : nil }

    private mutating func startLine() {
      line += 1
      lineStart = position
    }

    private static func unit(_ sign: Unicode.Scalar) -> UInt16 {
      UInt16(truncatingIfNeeded: sign.value)
    }

    private static func isLiteral(_ unit: UInt16) -> Bool {
      !"/\\;#={}[]:, \t\u{0C}\r\n".utf16.contains(unit)
    }

    private var location: String {
      " at line \(line) column \(position - lineStart + 1) path $\(path.joined())"
    }

    private func fault(_ what: String) -> GsonFault {
      GsonFault(
        message: "com.google.gson.stream.MalformedJsonException: \(what)\(location)\n"
          + "See https://github.com/google/gson/blob/main/Troubleshooting.md#malformed-json")
    }

    private func end() -> GsonFault {
      GsonFault(message: "java.io.EOFException: End of input\(location)")
    }
  }
}
