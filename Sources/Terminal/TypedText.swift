/// What came of asking for a text.
public enum TypedText: Equatable, Sendable {
  /// A text to run: one line or several, without the last line's end.
  case text(String)
  /// Ctrl-C with nothing typed.
  case interrupted
  /// Ctrl-C that drops what was begun.
  case dropped
  /// Ctrl-D with nothing typed, or the end of the input.
  case ended
}
