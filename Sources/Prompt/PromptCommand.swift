/// A line that the prompt itself answers: `.help`, `.load FILE`.
struct PromptCommand: Equatable {
  let name: String
  let argument: String

  /// Whether a text is one: no text of Lua begins with a dot and a letter.
  static func isCommand(_ text: String) -> Bool { PromptCommand(text) != nil }

  /// Reads a command; nil when the text is none.
  init?(_ text: String) {
    guard let match = text.wholeMatch(of: /\s*\.([A-Za-z]+)(?:\s+(.*))?\s*/.dotMatchesNewlines())
    else { return nil }
    name = String(match.output.1)
    argument = match.output.2.map { String($0).trimmed } ?? ""
  }
}

extension String {
  /// The text without blanks around it.
  var trimmed: String {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
