import System

/// A token of source that may be Lua, Swift, Objective-C or JavaScript, or a mixture of them.
struct ForeignToken {
  enum Kind {
    case name
    case number
    case string
    /// A text with values in it: `` `a${b}` `` or `"a\(b)"`.
    case template
    /// A comment in another language's form, such as `// text`.
    case comment
    case symbol
  }

  let kind: Kind
  /// The token as written; of a string in Objective-C without the `@`.
  let text: String
  /// The position, in bytes from the start of the source.
  let range: Range<Int>
  /// Whether it is the first token of its line.
  let startsLine: Bool
  /// Whether nothing is between it and the token before.
  let touches: Bool
  /// Whether it is a string with an `@` before it, as in Objective-C.
  var hasAt = false

  /// Whether it is this word or symbol.
  func `is`(_ text: String) -> Bool {
    (kind == .symbol || kind == .name) && self.text == text
  }

  /// Splits source into tokens; comments of Lua are left out.
  static func tokens(of source: [UInt8]) -> [ForeignToken] {
    var lexer = Lexer(bytes: source)
    lexer.read()
    return lexer.tokens
  }
}

extension ForeignToken {
  private struct Lexer {
    let bytes: [UInt8]
    var tokens: [ForeignToken] = []
    private var position = 0
    private var startsLine = true
    private var hasSpace = true

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Longest first, as the longest match wins.
    private static let symbols: [[UInt8]] = [
      "===", "!==", "...", "..=", "..<", "??=", "..", "=>", "->", "==", "~=", "!=", "<=", ">=",
      "&&",
      "||", "??", "?.", "+=", "-=", "*=", "/=", "++", "::", "//", "@[", "@{", "@(", "${",
    ].map { Array($0.utf8) }

    mutating func read() {
      while position < bytes.count {
        let (start, byte) = (position, bytes[position])
        if byte == 0x0A {
          startsLine = true
          hasSpace = true
          position += 1
        } else if byte == 0x20 || (0x09...0x0D).contains(byte) {
          hasSpace = true
          position += 1
        } else if Self.isLetter(byte)
          || byte == UInt8(ascii: "#") && Self.isLetter(at(1)) && startsLine
        {
          position += 1
          skip { Self.isLetter($0) || $0.isDigit }
          add(.name, start)
        } else if byte.isDigit {
          skip { Self.isLetter($0) || $0.isDigit || $0 == 0x2E }
          // `1..2` is a range.
          while bytes[start..<position].suffix(1).first == 0x2E { position -= 1 }
          add(.number, start)
        } else if isQuote(byte) {
          string(start, byte)
        } else if byte == UInt8(ascii: "@"), isQuote(at(1)) {
          position += 1
          string(position, bytes[position])
          tokens[tokens.count - 1].hasAt = true
        } else if byte == 0x2D, at(1) == 0x2D {
          dashes(start)
        } else if byte == UInt8(ascii: "/"), at(1) == byte || at(1) == UInt8(ascii: "*") {
          slashes(start)
        } else if let level = longBracket(), !isMessage {
          long(level, .string)
        } else {
          let symbol = Self.symbols.first { bytes[start...].starts(with: $0) }
          position += symbol?.count ?? 1
          if symbol == nil { skip { $0 & 0xC0 == 0x80 } }
          add(.symbol, start)
        }
      }
    }

    private mutating func string(_ start: Int, _ quote: UInt8) {
      position = start + 1
      var isTemplate = quote == UInt8(ascii: "`")
      while position < bytes.count, bytes[position] != quote {
        if bytes[position] == 0x0A, quote != UInt8(ascii: "`") { break }
        if bytes[position] == 0x5C {
          if at(1) == UInt8(ascii: "(") { isTemplate = true }
          position += 1
        }
        position += 1
      }
      position = min(position + 1, bytes.count)
      add(isTemplate ? .template : .string, start)
    }

    /// A comment of Lua, or a decrement as in `count--;`.
    private mutating func dashes(_ start: Int) {
      let after = at(2)
      let isEnd = [0, 0x0A, 0x0D, UInt8(ascii: ";"), UInt8(ascii: ")")].contains(after)
      if !hasSpace, tokens.last?.kind == .name, isEnd {
        position += 2
        return add(.symbol, start)
      }
      position += 2
      if let level = longBracket() { return long(level, nil) }
      skip { $0 != 0x0A }
      hasSpace = true
    }

    /// A comment of another language, or Lua's integer division.
    private mutating func slashes(_ start: Int) {
      if at(1) == UInt8(ascii: "*") {
        position += 2
        while position < bytes.count,
          !(bytes[position] == UInt8(ascii: "*") && at(1) == UInt8(ascii: "/"))
        {
          position += 1
        }
        position = min(position + 2, bytes.count)
        return add(.comment, start)
      }
      let rest = bytes[(start + 2)...].prefix { $0 != 0x0A }
      guard startsLine || isEnd(tokens.last) || Self.isProse(rest) else {
        position += 2
        return add(.symbol, start)
      }
      position += 2 + Self.prose(Array(rest))
      add(.comment, start)
    }

    /// How much of a comment is prose: all, unless code follows in the line, as in guides that lost their line breaks.
    private static func prose(_ text: [UInt8]) -> Int {
      guard text.contains(where: { "{}[]".utf8.contains($0) }) else { return text.count }
      for index in text.indices.dropFirst() where text[index] == 0x20 {
        let next = text[(index + 1)...]
        if next.starts(with: "//".utf8) || next.first == UInt8(ascii: "}") { return index }
        let isSentence = [UInt8(ascii: "."), UInt8(ascii: ":")].contains(text[index - 1])
        let isCode =
          next.first.map { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "[") } == true
          || ["Auth", "NS", "FIR"].contains { next.starts(with: $0.utf8) }
        if isSentence, isCode { return index }
      }
      return text.count
    }

    private func isEnd(_ token: ForeignToken?) -> Bool {
      token?.kind == .comment || [";", "{", "}", ",", "(", "["].contains { token?.is($0) == true }
    }

    /// Whether two words follow each other, which no expression has.
    private static func isProse(_ text: ArraySlice<UInt8>) -> Bool {
      var words = text.split(separator: 0x20).map { Array($0) }
      while let last = words.last, last == [0x0D] { words.removeLast() }
      return zip(words, words.dropFirst()).contains { one, other in
        one.last.map { isLetter($0) || $0 == 0x2C || $0 == 0x2E || $0 == 0x3A } == true
          && other.first.map(isLetter) == true
          && !["or", "and", "not", "then", "do", "end"].contains(
            String(decoding: other, as: UTF8.self))
          && !["or", "and", "not", "return"].contains(
            String(decoding: one, as: UTF8.self))
      }
    }

    /// Whether `[[` begins nested messages of Objective-C, such as `[[FIRAuth auth] signOut:nil]`.
    private var isMessage: Bool {
      guard at(1) == UInt8(ascii: "[") else { return false }
      var end = position
      while end < bytes.count, bytes[end] == UInt8(ascii: "[") { end += 1 }
      let receiver = bytes[end...].prefix { Self.isLetter($0) || $0.isDigit || $0 == 0x2E }
      let rest = bytes[(end + receiver.count)...].prefix { $0 != 0x0A }
      // A block that goes on in further lines: `[[session dataTaskWithRequest:r completionHandler:^(…) {`.
      if !receiver.isEmpty, rest.first == 0x20, rest.contains(UInt8(ascii: "^")),
        rest.last(where: { $0 != 0x20 && $0 != 0x0D }) == UInt8(ascii: "{")
      {
        return true
      }
      guard !receiver.isEmpty, rest.first == 0x20, let close = rest.firstIndex(of: 0x5D),
        close + 1 >= bytes.count || bytes[close + 1] != 0x5D
      else { return false }
      return rest[..<close].dropFirst().allSatisfy {
        Self.isLetter($0) || $0.isDigit || " :@\"'.".utf8.contains($0)
      }
    }

    private func longBracket() -> Int? {
      guard at(0) == 0x5B else { return nil }
      var end = position + 1
      while end < bytes.count, bytes[end] == 0x3D { end += 1 }
      return end < bytes.count && bytes[end] == 0x5B ? end - position - 1 : nil
    }

    /// A long string of Lua, or a long comment, which is left out.
    private mutating func long(_ level: Int, _ kind: ForeignToken.Kind?) {
      let start = position
      let close = Array("]\(String(repeating: "=", count: level))]".utf8)
      position += level + 2
      while position < bytes.count, !bytes[position...].starts(with: close) { position += 1 }
      position = min(position + close.count, bytes.count)
      if let kind { add(kind, start) } else { hasSpace = true }
    }

    private func at(_ offset: Int) -> UInt8 {
      position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private mutating func skip(_ condition: (UInt8) -> Bool) {
      while position < bytes.count, condition(bytes[position]) { position += 1 }
    }

    private mutating func add(_ kind: ForeignToken.Kind, _ start: Int) {
      tokens.append(
        ForeignToken(
          kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self),
          range: start..<position, startsLine: startsLine, touches: !hasSpace))
      // After the comments of a guide that lost its line breaks, code begins a line.
      startsLine = startsLine && kind == .comment
      hasSpace = false
    }

    private func isQuote(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
      byte.isLetter || byte == 0x5F || byte == UInt8(ascii: "$")
    }
  }
}
