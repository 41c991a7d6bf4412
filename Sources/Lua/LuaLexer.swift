import System

/// Splits Lua source into tokens (manual 3.1); never fails, so incomplete source works too.
public struct LuaLexer {
  private let bytes: [UInt8]
  private var position = 0
  private var tokens: [LuaToken] = []

  /// The tokens of a source text, including comments.
  public static func tokens(of text: String) -> [LuaToken] {
    var lexer = LuaLexer(bytes: Array(text.utf8))
    lexer.read()
    return lexer.tokens
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Longest first, as the longest match wins.
  private static let symbols: [[UInt8]] = [
    "...", "<<", ">>", "//", "==", "~=", "<=", ">=", "::", "..", "+", "-", "*", "/", "%", "^", "#",
    "&", "~", "|", "<", ">", "=", "(", ")", "{", "}", "[", "]", ";", ":", ",", ".",
  ].map { Array($0.utf8) }

  private mutating func read() {
    while position < bytes.count {
      let start = position
      let byte = bytes[position]
      if Self.isSpace(byte) {
        position += 1
      } else if Self.isLetter(byte) {
        skip { Self.isLetter($0) || $0.isDigit }
        let word = text(start)
        add(LuaToken.keywords.contains(word) ? .keyword : .name, start, word)
      } else if byte.isDigit || byte == 0x2E && at(1).isDigit {
        number(start)
      } else if byte == 0x22 || byte == 0x27 {
        string(start, byte)
      } else if byte == 0x2D, at(1) == 0x2D {
        comment(start)
      } else if let level = longBracket(at: start) {
        long(start, level, .string)
      } else {
        symbol(start)
      }
    }
  }

  private mutating func symbol(_ start: Int) {
    guard let symbol = Self.symbols.first(where: { bytes[start...].starts(with: $0) }) else {
      // Take the whole UTF-8 character, so that no range splits it.
      position += 1
      skip { $0 & 0xC0 == 0x80 }
      return add(.broken, start)
    }
    position += symbol.count
    add(.symbol, start, text(start))
  }

  private mutating func number(_ start: Int) {
    let isHex = bytes[start] == 0x30 && (at(1) | 0x20) == 0x78
    if isHex { position += 2 }
    let exponents: Set<UInt8> = isHex ? [0x50, 0x70] : [0x45, 0x65]
    while position < bytes.count {
      let byte = bytes[position]
      if exponents.contains(byte) {
        position += 1
        if at(0) == 0x2B || at(0) == 0x2D { position += 1 }
      } else if byte.isDigit || Self.isLetter(byte) || byte == 0x2E {
        // Like Lua, this reads `1..2` as one malformed number (llex.c, read_numeral).
        position += 1
      } else {
        break
      }
    }
    add(.number, start)
  }

  private mutating func string(_ start: Int, _ quote: UInt8) {
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == quote { return add(.string, start) }
      if byte == 0x0A {
        position -= 1
        break
      }
      guard byte == 0x5C, position < bytes.count else { continue }
      if bytes[position] == 0x7A {
        // `\z` skips the white space that follows, including line breaks.
        position += 1
        skip(Self.isSpace)
      } else {
        position += 1
      }
    }
    add(.broken, start)
  }

  private mutating func comment(_ start: Int) {
    position += 2
    if let level = longBracket(at: position) { return long(start, level, .comment) }
    skip { $0 != 0x0A }
    add(.comment, start)
  }

  /// The number of equal signs in a long bracket that opens at `start`; nil when none does.
  private func longBracket(at start: Int) -> Int? {
    guard start < bytes.count, bytes[start] == 0x5B else { return nil }
    var end = start + 1
    while end < bytes.count, bytes[end] == 0x3D { end += 1 }
    return end < bytes.count && bytes[end] == 0x5B ? end - start - 1 : nil
  }

  private mutating func long(_ start: Int, _ level: Int, _ kind: LuaToken.Kind) {
    position += level + 2
    while position < bytes.count {
      guard bytes[position] == 0x5D else {
        position += 1
        continue
      }
      var end = position + 1
      while end < bytes.count, bytes[end] == 0x3D { end += 1 }
      if end - position - 1 == level, end < bytes.count, bytes[end] == 0x5D {
        position = end + 1
        return add(kind, start)
      }
      position = end
    }
    add(kind == .comment ? .comment : .broken, start)
  }

  // MARK: Bytes

  private func at(_ offset: Int) -> UInt8 {
    position + offset < bytes.count ? bytes[position + offset] : 0
  }

  private mutating func skip(_ condition: (UInt8) -> Bool) {
    while position < bytes.count, condition(bytes[position]) { position += 1 }
  }

  private func text(_ start: Int) -> String {
    String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func add(_ kind: LuaToken.Kind, _ start: Int, _ word: String = "") {
    tokens.append(LuaToken(kind, start..<position, word))
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
  private static func isLetter(_ byte: UInt8) -> Bool { byte.isLetter || byte == 0x5F }
}

/// A token of Lua source: a keyword, name, symbol, string, number or comment.
public struct LuaToken: Equatable, Sendable {
  /// The kinds of token.
  public enum Kind: Equatable, Sendable {
    /// A reserved word (manual 3.1).
    case keyword
    case name
    case number
    case string
    case comment
    /// An operator or punctuation.
    case symbol
    /// Invalid in Lua: a stray character, or a string or long bracket without an end.
    case broken
  }

  /// The kind of token.
  public let kind: Kind
  /// The position, in bytes from the start of the source.
  public let range: Range<Int>
  /// The keyword, name or symbol; empty for other tokens, which can be long.
  public let word: String

  /// Creates a token.
  init(_ kind: Kind, _ range: Range<Int>, _ word: String = "") {
    self.kind = kind
    self.range = range
    self.word = word
  }

  /// Whether it is this keyword or symbol.
  public func `is`(_ word: String) -> Bool {
    self.word == word && (kind == .keyword || kind == .symbol)
  }

  /// The reserved words of Lua 5.4.
  public static let keywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]
}
