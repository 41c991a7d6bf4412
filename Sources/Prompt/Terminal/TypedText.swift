/// The result of reading an entry.
enum TypedText: Equatable, Sendable {
  /// An entry to run: one or more lines, without the last line break.
  case text(String)
  /// Ctrl-C with nothing typed.
  case interrupted
  /// Ctrl-C, which discards the unfinished entry.
  case dropped
  /// Ctrl-D with nothing typed, or the end of the input.
  case ended
}
