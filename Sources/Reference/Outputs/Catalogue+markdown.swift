extension Catalogue {
  /// The reference as one page of Markdown: `docs/reference.md`.
  public var markdown: String {
    var text = """
      # Reference

      Everything that scripts can use: made by `luath __files` from what luath declares; `make docs` writes it again. In a terminal
      `luath doc NAME` shows the same, and each example runs as it stands, by `luath run FILE` (those of journeys and specs by
      `luath test FILE`).


      """
    for (title, subject) in [("Modules", ReferencePage.Subject.module), ("Classes", .class)] {
      text += "**\(title)**\n\n"
      for page in pages where page.subject == subject {
        text += "- [\(page.name)](#\(Self.anchor(page.name))): \(page.summary)\n"
      }
      text += "\n"
    }
    for page in pages { text += Self.markdown(page) }
    while text.hasSuffix("\n\n") { text.removeLast() }
    return text
  }

  private static func markdown(_ page: ReferencePage) -> String {
    var text = "## \(page.name)\n\n\(page.summary)\n\n"
    if !page.text.isEmpty { text += page.text + "\n\n" }
    let values = page.entries.filter { [.property, .field].contains($0.kind) }
    if !values.isEmpty {
      text +=
        "| \(page.subject == .class ? "field" : "value") | type | meaning |\n| --- | --- | --- |\n"
      for entry in values {
        text +=
          "| `\(entry.name)` | `\(cell(entry.results.first?.type ?? "any"))` | \(cell(entry.summary)) |\n"
      }
      text += "\n"
    }
    for entry in page.entries
    where [.function, .method].contains(entry.kind) && entry.current == nil {
      text += markdown(entry)
    }
    let older = page.entries.filter { $0.current != nil }
    if !older.isEmpty {
      let names = older.map { "`\($0.name)` (\($0.current ?? ""))" }.joined(separator: ", ")
      text += "Older spellings: \(names).\n\n"
    }
    return text
  }

  private static func markdown(_ entry: ReferenceEntry) -> String {
    var text = "### `\(entry.signature)`\n\n"
    text += (entry.waits ? "*Waits.* " : "") + entry.summary + "\n\n"
    if !entry.text.isEmpty { text += entry.text + "\n\n" }
    if !entry.parameters.isEmpty {
      text += "| argument | type | meaning |\n| --- | --- | --- |\n"
      for value in entry.parameters { text += rows(value) }
      text += "\n"
    }
    for result in entry.results {
      let words = [result.name, result.summary].filter { !$0.isEmpty }.joined(separator: ": ")
      text += "Gives `\(result.type)`" + (words.isEmpty ? "" : " (\(words))") + ".\n"
    }
    if !entry.results.isEmpty { text += "\n" }
    if !entry.errors.isEmpty {
      text += "Errors:\n\n"
      for error in entry.errors { text += "- `\(error.name)` \(error.summary)\n" }
      text += "\n"
    }
    if !entry.example.isEmpty { text += "```lua\n\(entry.example)\n```\n\n" }
    return text
  }

  private static func rows(_ value: ReferenceEntry.Value, under path: String = "") -> String {
    let type = value.fields.isEmpty ? value.type : value.plainType
    let name = path + value.name + (value.isOptional && value.name != "..." ? "?" : "")
    return "| `\(name)` | `\(cell(type))` | \(cell(value.summary)) |\n"
      + value.fields.map { rows($0, under: path + value.name + ".") }.joined()
  }

  /// The text of a table cell, with bars escaped.
  private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

  /// The anchor of a heading in GitHub's form.
  static func anchor(_ heading: String) -> String {
    String(heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
  }
}
