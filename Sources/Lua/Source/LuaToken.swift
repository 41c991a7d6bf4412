/// A word, sign, text or number of a Lua text, or a comment between them.
public struct LuaToken: Equatable, Sendable {
  /// The kinds of token.
  public enum Kind: Equatable, Sendable {
    /// A reserved word (manual 3.1).
    case keyword
    /// The name of a variable or field.
    case name
    /// A number.
    case number
    /// A string.
    case string
    /// A comment.
    case comment
    /// An operator or another sign.
    case symbol
    /// What no Lua text can hold: a stray character, a text or long bracket without an end.
    case broken
  }

  /// What it is.
  public let kind: Kind
  /// Where it stands, in bytes from the start of the text.
  public let range: Range<Int>
  /// The word or sign; empty for texts and comments, which can be long.
  public let word: String

  /// A token at a place of its text.
  public init(_ kind: Kind, _ range: Range<Int>, _ word: String = "") {
    self.kind = kind
    self.range = range
    self.word = word
  }

  /// Whether it is this reserved word or sign.
  public func `is`(_ word: String) -> Bool {
    self.word == word && (kind == .keyword || kind == .symbol)
  }

  /// The reserved words of Lua 5.4.
  public static let keywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]
}
