import Host
import System

/// What the documents say about a name: rows of tables, and sentences with the name in code marks.
struct ManualPassage: Sendable {
  /// Page and section: `batches#events`.
  let place: String
  /// The text, without marks.
  let text: String
  /// Whether the name begins a row, which then explains it.
  let isRow: Bool

  /// All passages, by the names that they have in code marks.
  private static let index: [String: [ManualPassage]] = {
    var index: [String: [ManualPassage]] = [:]
    for page in Document.all {
      for section in page.sections {
        let place = section.anchor.isEmpty ? page.name : "\(page.name)#\(section.anchor)"
        for (names, passage) in passages(section, at: place, page.name) {
          for name in names { index[name, default: []].append(passage) }
        }
      }
    }
    return index
  }()

  /// The help for a name that only the documents explain; nil when they do not have it.
  static func text(about name: String, _ style: HelpStyle) -> String? {
    guard let all = index[name] else { return nil }
    let passages = (all.filter(\.isRow) + all.filter { !$0.isRow }).prefix(4)
    return "\(style.bold(name))\n  in the manual; luath doc PAGE#SECTION shows a section\n\n"
      + style.list(passages.map { ($0.place, $0.text) }, indent: 2)
  }

  /// The passages of a section, each with its names.
  private static func passages(
    _ section: Document.Section, at place: String, _ page: String
  ) -> [(names: Set<String>, passage: ManualPassage)] {
    func plain(_ text: String) -> String { Markdown.plain(text[...], in: page) }
    var found: [(names: Set<String>, passage: ManualPassage)] = []
    func add(_ names: Set<String>, _ text: String, isRow: Bool) {
      guard !names.isEmpty else { return }
      found.append((names, ManualPassage(place: place, text: text, isRow: isRow)))
    }
    var headers: [String] = []
    for block in blocks(of: section.lines) {
      guard block.hasPrefix("|") else {
        headers = []
        for sentence in sentences(of: block) {
          add(names(in: sentence), plain(sentence), isRow: false)
        }
        continue
      }
      let cells = Markdown.cells(block[...])
      guard let first = cells.first, !headers.isEmpty else {
        headers = cells.map { plain($0) }
        continue
      }
      let others = zip(headers, cells).dropFirst().filter { !$0.1.isEmpty }
      let rest = others.map { header, cell in
        headers.count > 2 && !header.isEmpty ? "\(header): \(plain(cell))" : plain(cell)
      }.joined(separator: "; ")
      let explained = names(in: first)
      add(explained, rest, isRow: true)
      add(
        names(in: cells.dropFirst().joined(separator: " ")).subtracting(explained),
        "\(plain(first)): \(rest)", isRow: false)
    }
    return found
  }

  /// The names in code marks, also without what follows them: `pause`, `rate(n)` and `rate`, `at = 1` and `at`.
  private static func names(in text: String) -> Set<String> {
    var names: Set<String> = []
    let parts = text.split(separator: "`", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() where index % 2 == 1 {
      names.insert(String(part))
      names.insert(String(part.prefix { !"({[ =".contains($0) }))
    }
    return names.filter { !$0.isEmpty }
  }

  /// The rows of tables, list items and paragraphs of some lines, without code.
  private static func blocks(of lines: [Substring]) -> [String] {
    var blocks: [String] = []
    var isCode = false
    var continues = false
    for line in lines {
      let text = line.trimmed
      if text.hasPrefix("```") {
        isCode.toggle()
        continues = false
      } else if isCode || text.isEmpty {
        continues = false
      } else if continues, !text.hasPrefix("|"), !text.hasPrefix("- ") {
        blocks[blocks.count - 1] += " " + text
      } else {
        blocks.append(text.hasPrefix("- ") ? String(text.dropFirst(2)) : text)
        continues = !text.hasPrefix("|")
      }
    }
    return blocks
  }

  /// The sentences of a paragraph; a full stop inside of code ends none.
  private static func sentences(of text: String) -> [String] {
    var sentences: [String] = []
    var words: [Substring] = []
    var isCode = false
    for word in text.split(separator: " ") {
      words.append(word)
      if word.count(where: { $0 == "`" }) % 2 == 1 { isCode.toggle() }
      if !isCode, word.hasSuffix(".") {
        sentences.append(words.joined(separator: " "))
        words = []
      }
    }
    return words.isEmpty ? sentences : sentences + [words.joined(separator: " ")]
  }
}
