import Host

/// A row of a table in the documents that explains names.
struct DocumentRow: Sendable {
  /// The names in the first cell: identifiers in code marks.
  let names: [String]
  /// Page and section: `emulator#configuration`.
  let place: String
  /// The word above the names: `key`.
  let header: String
  /// The other cells, each with its header.
  let cells: [(header: String, text: String)]

  /// The keys of `luath.lua` and the environment variables: the rows of the tables with these words above them.
  static let topics: [Topic] = all.compactMap { row in
    switch row.header {
    case "key": row.topic(.key, "key of luath.lua")
    case "variable": row.topic(.variable, "environment variable")
    default: nil
    }
  }

  /// The environment variables, each row with its names and its meaning.
  static var variables: [(names: String, meaning: String)] {
    all.filter { $0.header == "variable" }.map { row in
      (row.names.joined(separator: ", "), row.meaning)
    }
  }

  private static var all: [DocumentRow] {
    Document.all.flatMap { page in
      page.sections.flatMap { section in
        let place = section.anchor.isEmpty ? page.name : "\(page.name)#\(section.anchor)"
        return rows(section, place, page.name)
      }
    }
  }

  private static func rows(
    _ section: Document.Section, _ place: String, _ page: String
  ) -> [DocumentRow] {
    var rows: [DocumentRow] = []
    var headers: [String] = []
    for line in section.lines {
      guard line.hasPrefix("|") else {
        headers = []
        continue
      }
      let cells = Markdown.cells(line)
      if headers.isEmpty {
        headers = cells.map { Markdown.plain($0[...], in: page) }
        continue
      }
      let parts = (cells.first ?? "").split(separator: "`", omittingEmptySubsequences: false)
      let names = parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
      guard !names.isEmpty else { continue }
      let others = zip(headers, cells).dropFirst().map { header, cell in
        (header: header, text: Markdown.plain(cell[...], in: page))
      }
      rows.append(
        DocumentRow(
          names: names, place: place, header: headers[0],
          cells: others.filter { !$0.text.isEmpty }))
    }
    return rows
  }

  /// The last cell, and the default if the table has one.
  private var meaning: String {
    let standard = cells.first { $0.header == "default" }.map { "; default: \($0.text)" } ?? ""
    return (cells.last?.text ?? "") + standard
  }

  private func topic(_ kind: Topic.Kind, _ subject: String) -> Topic {
    let name = names.joined(separator: ", ")
    let tables = ["project", "targets", "providers", "people", "accounts", "faults"]
    let prefixed = kind == .key ? names.flatMap { name in tables.map { "\($0).\(name)" } } : []
    return Topic(
      kind, "\(name) (\(place))", spellings: names + prefixed, summary: cells.last?.text ?? "",
      prose: cells.map(\.text).joined(separator: " ")
    ) { style in
      Topic.block(name, "\(subject); see luath doc \(place)", style: style) + "\n"
        + style.list(cells.map { ($0.header, $0.text) }, indent: 2)
    }
  }
}
