/// An invalid selection of journeys, with the position of the error.
struct SelectionError: Error, Sendable, Equatable {
  /// What is wrong, with the offending text.
  let message: String
  /// What to do about it.
  let hint: String
  /// The text that was parsed.
  let text: String
  /// The position of the offending character, from 0; the text's length for its end.
  let position: Int

  /// The text with a caret under the offending character, to print below the message.
  var excerpt: String {
    let shown = text.map { character -> String in
      if character.isWhitespace { return " " }
      // Control characters must not reach the terminal.
      return character.unicodeScalars.contains {
        $0.value < 0x20 || (0x7F..<0xA0).contains($0.value)
      }
        ? "\u{FFFD}" : String(character)
    }.joined()
    return "  \(shown)\n  \(String(repeating: " ", count: position))^\n"
  }
}
