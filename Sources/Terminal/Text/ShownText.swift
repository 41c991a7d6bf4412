/// Texts of others on their way to a terminal.
enum ShownText {
  /// A text with its line ends, tabs and, maybe, colours; all else that acts on a terminal is
  /// spelled out.
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

  /// A sequence that chooses colours, Select Graphic Rendition, at the start of a text.
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

  /// How many rows a line without its end takes, as it was made by `lines`.
  static func rows(of line: String, columns: Int) -> Int {
    guard !line.isEmpty else { return 0 }
    var width = 0
    var rest = line[...]
    while let character = rest.first {
      if character == "\u{1B}", let sequence = colour(rest) {
        rest = rest[sequence.endIndex...]
        continue
      }
      // Tabs go to every eighth column.
      width +=
        character == "\t"
        ? 8 - width % 8 : ShownCharacter.forms(of: character).reduce(0) { $0 + $1.width }
      rest = rest.dropFirst()
    }
    return max(1, (width + columns - 1) / max(columns, 1))
  }
}
