/// What was pressed, or came at once, as the editor sees it.
enum Key: Equatable, Sendable {
  /// A character to put into the text.
  case character(Character)
  /// Ctrl with a letter or sign, named by the lower-case letter: `.control("a")`.
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
  /// A text that was pasted as a whole, as it came.
  case paste(String)
  /// A sequence that means nothing here.
  case unknown
}
