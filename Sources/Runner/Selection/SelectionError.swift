/// Why a choice of journeys makes no sense, with the place in the text that was given.
public struct SelectionError: Error, Sendable, Equatable {
  /// What is wrong, with the offending characters.
  public let message: String
  /// What to do about it.
  public let hint: String
  /// The text that was given.
  public let text: String
  /// The offending character, counted from 0; the text's length for its end.
  public let position: Int

  /// The text with a caret under the offending character, ready to be shown below the message.
  public var excerpt: String {
    let shown = text.map { character -> String in
      if character.isWhitespace { return " " }
      // What moves the cursor of a terminal must not reach it.
      return character.unicodeScalars.contains {
        $0.value < 0x20 || (0x7F..<0xA0).contains($0.value)
      }
        ? "\u{FFFD}" : String(character)
    }.joined()
    return "  \(shown)\n  \(String(repeating: " ", count: position))^\n"
  }
}
