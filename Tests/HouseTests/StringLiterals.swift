/// The string literals of a source file in Swift or Lua.
enum StringLiterals {
  enum Language {
    case swift
    case lua

    /// The language of a file; nil for other languages.
    init?(_ path: String) {
      switch path {
      case _ where path.hasSuffix(".swift"): self = .swift
      case _ where path.hasSuffix(".lua"): self = .lua
      default: return nil
      }
    }
  }

  struct Literal {
    /// The line on which the literal begins, from 1.
    let line: Int
    /// The text with a backtick for each interpolated value; joined literals are one text.
    var text: String
  }

  /// The literals, each with those that `+` or `..` joins to it.
  static func found(in source: [UInt8], _ language: Language) -> [Literal] {
    var scanner = Scanner(source: source, language: language)
    scanner.scan()
    return scanner.found
  }

  /// Reads a source from its beginning.
  private struct Scanner {
    let source: [UInt8]
    let language: Language
    var found: [Literal] = []
    private var place = 0
    private var line = 1
    /// The literal that only white space and operators that join strings follow.
    private var last: Int?

    init(source: [UInt8], language: Language) {
      self.source = source
      self.language = language
    }

    private func begins(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard place + count <= source.count else { return false }
      return (0..<count).allSatisfy { source[place + $0] == text.utf8Start[$0] }
    }

    /// Moves forward and counts lines.
    private mutating func skip(_ count: Int = 1) {
      for _ in 0..<count where place < source.count {
        if source[place] == UInt8(ascii: "\n") { line += 1 }
        place += 1
      }
    }

    private mutating func skip(past ending: [UInt8]) {
      while place < source.count, !source[place...].starts(with: ending) { skip() }
      skip(ending.count)
    }

    mutating func scan() {
      while place < source.count {
        if language == .swift ? swiftToken() : luaToken() { continue }
        if !" \n+.".utf8.contains(source[place]) { last = nil }
        skip()
      }
    }

    /// Reads a comment or literal of Swift; false for other code.
    private mutating func swiftToken() -> Bool {
      if begins("//") {
        skip(past: [UInt8(ascii: "\n")])
      } else if begins("/*") {
        skip(past: Array("*/".utf8))
      } else if let hashes = source[place...].firstIndex(where: { $0 != UInt8(ascii: "#") }),
        source[hashes] == UInt8(ascii: "\"")
      {
        let (start, count) = (line, hashes - place)
        skip(count)
        keep(Literal(line: start, text: swiftText(hashes: count)))
      } else {
        return false
      }
      return true
    }

    /// Reads a literal of Swift from its first quotation mark.
    private mutating func swiftText(hashes: Int) -> String {
      let hasLines = begins("\"\"\"")
      let pounds = Array(repeating: UInt8(ascii: "#"), count: hashes)
      let ending = Array((hasLines ? "\"\"\"" : "\"").utf8) + pounds
      let escape = [UInt8(ascii: "\\")] + pounds
      var text: [UInt8] = []
      skip(hasLines ? 3 : 1)
      while place < source.count, !source[place...].starts(with: ending) {
        // What began is the quotation mark of a regular expression.
        if !hasLines, begins("\n") { return "" }
        if source[place...].starts(with: escape) {
          skip(escape.count)
          if begins("(") {
            interpolation()
            text.append(UInt8(ascii: "`"))
          } else {
            text.append(escaped())
          }
        } else {
          text.append(source[place])
          skip()
        }
      }
      skip(ending.count)
      return String(decoding: text, as: UTF8.self)
    }

    /// Skips the code of an interpolation and keeps its literals.
    private mutating func interpolation() {
      var depth = 0
      repeat {
        if begins("(") { depth += 1 }
        if begins(")") { depth -= 1 }
        if !begins("\"") {
          skip()
        } else {
          let start = line
          found.append(Literal(line: start, text: swiftText(hashes: 0)))
        }
      } while depth > 0 && place < source.count
    }

    /// What an escaped character counts as.
    private mutating func escaped() -> UInt8 {
      defer { skip() }
      return begins("n") || begins("\n") || begins("t") ? UInt8(ascii: " ") : source[place]
    }

    /// Reads a comment or literal of Lua; false for other code.
    private mutating func luaToken() -> Bool {
      if begins("--") {
        skip(2)
        if longText() == nil { skip(past: [UInt8(ascii: "\n")]) }
      } else if begins("\"") || begins("'") {
        let (start, quote) = (line, source[place])
        var text: [UInt8] = []
        skip()
        while place < source.count, source[place] != quote {
          if begins("\\") {
            skip()
            text.append(escaped())
          } else {
            text.append(source[place])
            skip()
          }
        }
        skip()
        keep(Literal(line: start, text: String(decoding: text, as: UTF8.self)))
      } else {
        let start = line
        guard let text = longText() else { return false }
        keep(Literal(line: start, text: text))
      }
      return true
    }

    /// Reads a literal of Lua in long brackets; nil where there is none.
    private mutating func longText() -> String? {
      guard begins("[") else { return nil }
      let level = source[(place + 1)...].prefix { $0 == UInt8(ascii: "=") }
      guard level.endIndex < source.count, source[level.endIndex] == UInt8(ascii: "[") else {
        return nil
      }
      skip(level.count + 2)
      let start = place
      let ending = [UInt8(ascii: "]")] + level + [UInt8(ascii: "]")]
      skip(past: ending)
      return String(decoding: source[start..<max(start, place - ending.count)], as: UTF8.self)
    }

    private mutating func keep(_ literal: Literal) {
      if let last {
        found[last].text += literal.text
      } else {
        last = found.count
        found.append(literal)
      }
    }
  }
}
