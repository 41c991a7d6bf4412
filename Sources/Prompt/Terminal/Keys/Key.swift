enum Key: Equatable, Sendable {
  case character(Character)
  /// Ctrl with a letter (in lower case) or symbol: `.control("a")`.
  case control(Character)
  /// Alt (or Escape before it) with a character.
  case meta(Character)
  /// Alt with Ctrl and a letter.
  case controlMeta(Character)
  case enter, metaEnter
  case tab, backTab
  case backspace, metaBackspace, delete, metaDelete
  case escape
  case up, down, left, right
  case home, end, pageUp, pageDown
  case wordLeft, wordRight, textStart, textEnd
  /// A pasted text, unchanged.
  case paste(String)
  /// A sequence without a meaning in the editor.
  case unknown
}
