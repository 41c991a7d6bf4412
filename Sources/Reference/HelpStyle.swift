/// The width of help texts, and whether they use bold type.
public struct HelpStyle: Sendable {
  /// The column to wrap at, from 40 to 100.
  let columns: Int
  /// Whether names are bold, by terminal control sequences.
  let isBold: Bool

  /// Creates a style; limits the width to 40 to 100 columns.
  public init(columns: Int = 80, isBold: Bool = false) {
    self.columns = min(max(columns, 40), 100)
    self.isBold = isBold
  }

  func bold(_ text: String) -> String { isBold ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  /// Text wrapped to the width and indented; paragraphs stay separate.
  func wrapped(_ text: String, indent: Int, first: Int? = nil) -> String {
    var lines: [String] = []
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var line = ""
      for word in paragraph.split(separator: " ") {
        let used = lines.isEmpty ? first ?? indent : indent
        if !line.isEmpty, used + line.count + 1 + word.count > columns {
          lines.append(line)
          line = ""
        }
        line += line.isEmpty ? word : " " + word
      }
      lines.append(line)
    }
    let margin = String(repeating: " ", count: indent)
    return lines.enumerated().map { index, line in
      index == 0 && first != nil || line.isEmpty ? line : margin + line
    }.joined(separator: "\n")
  }

  /// A list of names with their descriptions in a second column.
  func list(_ items: [(name: String, words: String)], indent: Int) -> String {
    let widest = items.map(\.name.count).max() ?? 0
    let width = min(widest, columns / 3)
    let margin = String(repeating: " ", count: indent)
    return items.map { name, words in
      let text = words.withoutMarks
      if text.isEmpty { return "\(margin)\(bold(name))\n" }
      let start = indent + width + 2
      if name.count > width {
        return "\(margin)\(bold(name))\n\(wrapped(text, indent: start))\n"
      }
      let padding = String(repeating: " ", count: width - name.count + 2)
      return "\(margin)\(bold(name))\(padding)\(wrapped(text, indent: start, first: start))\n"
    }.joined()
  }
}

extension String {
  /// The text without the backticks that mark code.
  var withoutMarks: String { filter { $0 != "`" } }
}
