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
    let shown = text.map { $0.isWhitespace ? " " : String($0) }.joined()
    return "  \(shown)\n  \(String(repeating: " ", count: position))^\n"
  }
}
