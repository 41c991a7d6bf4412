/// The width of help texts, and whether they use bold type.
public struct HelpStyle: Sendable {
  /// The column to wrap at, from 40 to 100.
  public let columns: Int
  /// Whether names are bold, by terminal control sequences.
  let isBold: Bool

  /// Creates a style; limits the width to 40 to 100 columns.
  public init(columns: Int = 80, isBold: Bool = false) {
    self.columns = min(max(columns, 40), 100)
    self.isBold = isBold
  }

  /// Creates the style for a console: its width, and bold type on a terminal without `NO_COLOR`.
  public init(_ console: Console) {
    let isBold =
      console.outputColumns != nil && console.environment["NO_COLOR", default: ""].isEmpty
      && console.environment["TERM"] != "dumb"
    self.init(columns: console.outputColumns ?? 80, isBold: isBold)
  }

  /// The text in bold type, if the style has it.
  public func bold(_ text: String) -> String { isBold ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  /// Text wrapped to the width and indented; paragraphs stay separate.
  ///
  /// - Parameter first: The column at which the first line already is; nil to indent it too.
  public func wrapped(_ text: String, indent: Int, first: Int? = nil) -> String {
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
  public func list(_ items: [(name: String, words: String)], indent: Int) -> String {
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
  public var withoutMarks: String { filter { $0 != "`" } }

  /// The text with a capital at the beginning and a full stop at the end; names such as luath keep theirs.
  public var sentence: String {
    let isName = hasPrefix("luath ")
    return (isName ? "luath" + dropFirst(5) : prefix(1).uppercased() + dropFirst())
      + (hasSuffix(".") ? "" : ".")
  }
}
