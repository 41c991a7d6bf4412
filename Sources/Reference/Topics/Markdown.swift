import Host
import System

/// Shows the Markdown of the documents in a terminal: headings, paragraphs, lists, tables and code.
struct Markdown {
  private let style: HelpStyle
  private let page: String

  init(_ style: HelpStyle, page: String) {
    self.style = style
    self.page = page
  }

  /// A section with its title.
  func text(of section: Document.Section) -> String {
    let title =
      section.level == 1
      ? section.title
      : String(repeating: "#", count: section.level - 1)
        + " " + section.title
    return style.bold(title) + "\n" + text(of: section.lines)
  }

  /// The blocks of some lines, each behind an empty line.
  private func text(of lines: [Substring]) -> String {
    var blocks: [String] = []
    var rest = lines[...]
    while let line = rest.first {
      if line.allSatisfy(\.isWhitespace) {
        rest = rest.dropFirst()
      } else if line.hasPrefix("```") {
        let code = rest.dropFirst().prefix { !$0.hasPrefix("```") }
        rest = rest.dropFirst(code.count + 2)
        blocks.append(code.map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined())
      } else if line.hasPrefix("|") {
        let rows = rest.prefix { $0.hasPrefix("|") }
        rest = rest.dropFirst(rows.count)
        blocks.append(table(rows.map(Self.cells)))
      } else if Self.mark(of: line) != nil {
        blocks.append(list(&rest))
      } else {
        let paragraph = rest.prefix {
          !$0.allSatisfy(\.isWhitespace) && !$0.hasPrefix("|") && !$0.hasPrefix("```")
        }
        rest = rest.dropFirst(paragraph.count)
        let text = plain(paragraph.joined(separator: " "))
        if !text.isEmpty { blocks.append(style.wrapped(text, indent: 2) + "\n") }
      }
    }
    return blocks.map { "\n\($0)" }.joined()
  }

  // MARK: Lists

  /// The mark of a list item with its indentation, `- ` or `12. `; nil for other lines.
  private static func mark(of line: Substring) -> (indent: Int, mark: Substring)? {
    let indent = line.prefix { $0 == " " }.count
    let rest = line.dropFirst(indent)
    if rest.hasPrefix("- ") { return (indent, rest.prefix(2)) }
    let digits = rest.prefix(while: \.isNumber)
    guard !digits.isEmpty, rest.dropFirst(digits.count).hasPrefix(". ") else { return nil }
    return (indent, rest.prefix(digits.count + 2))
  }

  private func list(_ rest: inout ArraySlice<Substring>) -> String {
    var text = ""
    while let line = rest.first, let (indent, mark) = Self.mark(of: line) {
      rest = rest.dropFirst()
      var item = line.dropFirst(indent + mark.count)[...].description
      while let next = rest.first, Self.mark(of: next) == nil, next.hasPrefix(" "),
        !next.allSatisfy(\.isWhitespace)
      {
        item += " " + next.trimmed
        rest = rest.dropFirst()
      }
      let start = 2 + indent + mark.count
      let margin = String(repeating: " ", count: 2 + indent)
      text += "\(margin)\(mark)\(style.wrapped(plain(item), indent: start, first: start))\n"
    }
    return text
  }

  // MARK: Tables

  /// The cells of a row; `\|` is a bar in a cell.
  static func cells(_ line: Substring) -> [String] {
    let bar = "\u{1}"
    let cells = line.replacing("\\|", with: bar).split(
      separator: "|", omittingEmptySubsequences: false)
    return cells.dropFirst().dropLast().map { $0.trimmed.replacing(bar, with: "|") }
  }

  private func table(_ rows: [[String]]) -> String {
    let headers = (rows.first ?? []).map(plain)
    let body = rows.dropFirst(2).map { $0.map(plain) }
    let names = headers.first.map { $0.isEmpty ? "" : style.bold($0) } ?? ""
    let isNarrow = body.allSatisfy { ($0.first?.count ?? 0) <= style.columns / 3 }
    if headers.count == 2, isNarrow {
      let head = headers.allSatisfy(\.isEmpty) ? "" : "  \(names): \(headers[1])\n"
      return head + style.list(body.map { ($0.first ?? "", $0.last ?? "") }, indent: 2)
    }
    return body.map { row in
      let cells = zip(headers, row).dropFirst().filter { !$0.1.isEmpty }
      let name = style.bold(style.wrapped(row.first ?? "", indent: 2))
      // Without headers, and in tables of two columns, the second cell explains the first.
      guard headers.count > 2, !headers.dropFirst().allSatisfy(\.isEmpty) else {
        return name + "\n" + cells.map { style.wrapped($0.1, indent: 6) + "\n" }.joined()
      }
      return name + "\n" + style.list(cells.map { ($0.0, $0.1) }, indent: 4)
    }.joined()
  }

  // MARK: Lines

  private func plain(_ text: String) -> String { Self.plain(text[...], in: page) }

  /// A line without marks; links name the page that `luath doc` shows, or the address.
  static func plain(_ text: Substring, in page: String) -> String {
    var out = ""
    var rest = text.replacing("`", with: "").replacing("**", with: "")[...]
    while let open = rest.firstIndex(of: "[") {
      guard let middle = rest[open...].firstRange(of: "]("),
        let close = rest[middle.upperBound...].firstIndex(of: ")")
      else { break }
      // Of two brackets, the link begins at the last one before its address.
      let start = rest[..<middle.lowerBound].lastIndex(of: "[") ?? open
      let isImage = start > rest.startIndex && rest[rest.index(before: start)] == "!"
      out += rest[..<start]
      if isImage {
        out.removeLast()
      } else {
        out += link(
          String(rest[rest.index(after: start)..<middle.lowerBound]),
          to: String(rest[middle.upperBound..<close]), in: page)
      }
      rest = rest[rest.index(after: close)...]
    }
    return (out + rest).trimmed
  }

  private static func link(_ words: String, to target: String, in page: String) -> String {
    if target.contains("://") { return target == words ? words : "\(words) (\(target))" }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].isEmpty ? page : whole(String(parts[0]), from: page)
    guard EmbeddedDocuments.files.keys.contains(where: { Document.name(ofPath: $0) == path })
    else { return words }
    let place = parts.count > 1 ? "\(path)#\(parts[1])" : path
    let isFile = words.hasSuffix(".md") || words.hasSuffix("/")
    return isFile ? "luath doc \(place)" : "\(words) (luath doc \(place))"
  }

  /// The name of the page at a path that begins at the folder of another page.
  private static func whole(_ path: String, from page: String) -> String {
    var parts = page.split(separator: "/").dropLast().map(String.init)
    // A page that stands for a folder lies inside it.
    if EmbeddedDocuments.files["\(page)/README.md"] != nil {
      parts = page.split(separator: "/").map(String.init)
    }
    for part in path.split(separator: "/") {
      if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(String(part)) }
    }
    return Document.name(ofPath: parts.joined(separator: "/"))
  }
}
