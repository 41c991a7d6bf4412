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
