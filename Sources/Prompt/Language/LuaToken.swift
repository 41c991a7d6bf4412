/// A word, sign, text or number of a Lua text, or a comment between them.
struct LuaToken: Equatable {
  enum Kind: Equatable {
    /// A reserved word (manual 3.1).
    case keyword
    case name
    case number
    case string
    case comment
    /// An operator or another sign.
    case symbol
    /// What no Lua text can hold: a stray character, a text or long bracket without an end.
    case broken
  }

  let kind: Kind
  /// Where it stands, in bytes from the start of the text.
  let range: Range<Int>
  /// The word or sign; empty for texts and comments, which can be long.
  let word: String

  init(_ kind: Kind, _ range: Range<Int>, _ word: String = "") {
    self.kind = kind
    self.range = range
    self.word = word
  }

  /// Whether it is this reserved word or sign.
  func `is`(_ word: String) -> Bool {
    self.word == word && (kind == .keyword || kind == .symbol)
  }

  /// The reserved words of Lua 5.4.
  static let keywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]
}
