/// Prepares untrusted text for a terminal.
enum ShownText {
  /// The text with its line breaks, tabs and optionally colors; other control characters are escaped.
  static func lines(_ text: String, usesColours: Bool) -> String {
    var shown = ""
    var isColoured = false
    var rest = text[...]
    while let character = rest.first {
      if character == "\u{1B}", let sequence = colour(rest) {
        if usesColours {
          shown += sequence
          isColoured = true
        }
        rest = rest[sequence.endIndex...]
        continue
      }
      switch character {
      case "\n", "\r\n": shown.append("\n")
      case "\t": shown.append("\t")
      default:
        for form in ShownCharacter.forms(of: character) { shown += form.text }
      }
      rest = rest.dropFirst()
    }
    guard isColoured else { return shown }
    return shown.hasSuffix("\n") ? shown.dropLast() + "\u{1B}[m\n" : shown + "\u{1B}[m"
  }

  /// The color sequence (Select Graphic Rendition) at the start of a text; nil when there is none.
  private static func colour(_ text: Substring) -> Substring? {
    var index = text.index(after: text.startIndex)
    guard index < text.endIndex, text[index] == "[" else { return nil }
    repeat {
      index = text.index(after: index)
      guard index < text.endIndex else { return nil }
    } while text[index].isASCII
      && (text[index].isNumber || text[index] == ";" || text[index] == ":")
    return text[index] == "m" ? text[...index] : nil
  }

  /// The number of rows of a line without line break, as returned by `lines`.
  static func rows(of line: String, columns: Int) -> Int {
    guard !line.isEmpty else { return 0 }
    var width = 0
    var rest = line[...]
    while let character = rest.first {
      if character == "\u{1B}", let sequence = colour(rest) {
        rest = rest[sequence.endIndex...]
        continue
      }
      // Tab stops are eight columns apart.
      width +=
        character == "\t"
        ? 8 - width % 8 : ShownCharacter.forms(of: character).reduce(0) { $0 + $1.width }
      rest = rest.dropFirst()
    }
    return max(1, (width + columns - 1) / max(columns, 1))
  }
}
