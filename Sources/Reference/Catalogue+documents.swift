import System

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
      text += "Returns `\(result.type)`" + (words.isEmpty ? "" : " (\(words))") + ".\n"
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

extension Catalogue {
  /// The manual page of the library, `luath(3lua)`: every function with its summary.
  ///
  /// - Parameter version: The version in the page's title.
  public func manualPage(version: String) -> GeneratedFile {
    var text = ManualText.title("LUATH", "3lua", version)
    text += ".SH NAME\nluath \\- what Lua scripts of luath can use\n"
    text += ".SH DESCRIPTION\n"
    text += ManualText.paragraph(
      "Each function with its sentence. Those marked with an asterisk wait, and let other tasks go "
        + "on meanwhile. luath doc NAME explains arguments, results and errors, with an example.")
    for page in pages {
      text += ".SH \(ManualText.escaped(page.name))\n" + ManualText.paragraph(page.summary)
      for entry in page.entries where entry.current == nil {
        text += ".TP\n.B \(ManualText.escaped(entry.signature))\(entry.waits ? " *" : "")\n"
        text += ManualText.line(entry.summary)
      }
    }
    text += ".SH SEE ALSO\n.BR luath (1)\n"
    return GeneratedFile("man3/luath.3lua", text)
  }
}

/// Text in the macros of man(7).
public enum ManualText {
  /// The first line of a page.
  public static func title(_ name: String, _ section: String, _ version: String) -> String {
    ".TH \(escaped(name)) \(section) \"\" \"luath \(version)\" \"luath manual\"\n"
  }

  /// A paragraph.
  public static func paragraph(_ text: String) -> String { ".PP\n" + line(text) }

  /// A line of text, protected from being read as a request.
  public static func line(_ text: String) -> String {
    let text = escaped(text)
    return (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + text + "\n"
  }

  /// Text with troff's special characters escaped.
  public static func escaped(_ text: String) -> String {
    var out = ""
    for character in text where character != "`" {
      switch character {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "…": out += "..."
      case "\n": out += " "
      default: out.append(character)
      }
    }
    return out
  }
}

extension Catalogue {
  /// The reference as a folder of web pages that work without a server and load nothing from elsewhere.
  ///
  /// - Parameter version: The version shown on the pages.
  public func siteFiles(version: String) -> [GeneratedFile] {
    let frame = SiteFrame(catalogue: self, version: version)
    return [
      GeneratedFile("index.html", frame.index),
      GeneratedFile("site.css", EmbeddedSite.text("site.css")),
      GeneratedFile("search.js", EmbeddedSite.text("search.js")),
      GeneratedFile("entries.js", frame.searchIndex),
    ] + pages.map { GeneratedFile(SiteFrame.file(of: $0), frame.page($0)) }
  }
}

struct SiteFrame {
  let catalogue: Catalogue
  let version: String

  /// The file name for a module or class; with a prefix, as `luath.auth` and `Auth` could otherwise collide on
  /// file systems that ignore case.
  static func file(of page: ReferencePage) -> String {
    "\(page.subject == .module ? "module" : "class")-\(page.name).html"
  }

  var index: String {
    var text =
      "<h1>luath</h1>\n<p>What Lua scripts of luath can use: version \(escaped(version)).</p>\n"
    for (title, subject) in [("Modules", ReferencePage.Subject.module), ("Classes", .class)] {
      text += "<h2>\(title)</h2>\n<dl class=\"list\">\n"
      for page in catalogue.pages where page.subject == subject {
        text += "<dt><a href=\"\(Self.file(of: page))\">\(escaped(page.name))</a></dt>"
        text += "<dd>\(inline(page.summary))</dd>\n"
      }
      text += "</dl>\n"
    }
    return framed("luath", text)
  }

  func page(_ page: ReferencePage) -> String {
    var text = "<h1>\(escaped(page.name)) <small>\(page.subject.rawValue)</small></h1>\n"
    text += "<p>\(inline(page.summary))</p>\n" + paragraphs(page.text)
    let entries = page.entries.filter { $0.current == nil }
    text += "<ul class=\"contents\">\n"
    for entry in entries {
      text += "<li><a href=\"#\(escaped(entry.name))\">\(escaped(entry.name))</a></li>\n"
    }
    text += "</ul>\n"
    for entry in entries { text += section(entry) }
    return framed("\(page.name) – luath", text)
  }

  /// The data of the search: names, signatures, summaries, addresses.
  var searchIndex: String {
    var rows: [JSON] = []
    for page in catalogue.pages {
      let file = Self.file(of: page)
      rows.append(
        .array([.string(page.name), .string(page.name), .string(page.summary), .string(file)]))
      for entry in page.entries where entry.current == nil {
        rows.append(
          .array([
            .string(entry.fullName), .string(entry.signature), .string(entry.summary),
            .string("\(file)#\(entry.name)"),
          ]))
      }
    }
    return "const entries = \(JSON.array(rows).encoded());\n"
  }

  // MARK: Parts

  private func framed(_ title: String, _ body: String) -> String {
    WebPage(
      title: title,
      head: """
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="site.css">

        """
    ).text(
      Markup(
        raw: """
          <header>
          <a class="home" href="index.html">luath</a>
          <label for="search">Search</label>
          <input id="search" type="search" autocomplete="off">
          </header>
          <ul id="found" hidden></ul>
          <main>
          \(body)</main>
          <script src="entries.js"></script>
          <script src="search.js"></script>
          """))
  }

  private func section(_ entry: ReferenceEntry) -> String {
    var text =
      "<section id=\"\(escaped(entry.name))\">\n<h2><code>\(escaped(entry.signature))</code>"
    if entry.waits { text += " <small class=\"waits\">waits</small>" }
    text += "</h2>\n<p>\(inline(entry.summary))</p>\n" + paragraphs(entry.text)
    if !entry.parameters.isEmpty {
      text += "<h3>Arguments</h3>\n<dl>\n\(entry.parameters.map { row($0) }.joined())</dl>\n"
    }
    if [.function, .method].contains(entry.kind), !entry.results.isEmpty {
      text += "<h3>Results</h3>\n<dl>\n"
      for result in entry.results {
        text += "<dt><code>\(escaped(result.name.isEmpty ? result.type : result.name))</code></dt>"
        let type = result.name.isEmpty ? "" : "<code>\(escaped(result.type))</code> "
        text += "<dd>\(type)\(inline(result.summary))</dd>\n"
      }
      text += "</dl>\n"
    }
    if !entry.errors.isEmpty {
      text += "<h3>Errors</h3>\n<dl>\n"
      for error in entry.errors {
        text += "<dt><code>\(escaped(error.name))</code></dt><dd>\(inline(error.summary))</dd>\n"
      }
      text += "</dl>\n"
    }
    if !entry.example.isEmpty {
      text += "<h3>Example</h3>\n<pre><code>\(escaped(entry.example))</code></pre>\n"
    }
    return text + "</section>\n"
  }

  private func row(_ value: ReferenceEntry.Value, under path: String = "") -> String {
    let type = value.fields.isEmpty ? value.type : value.plainType
    let optional = value.isOptional && value.name != "..." ? "optional " : ""
    var text = "<dt><code>\(escaped(path + value.name))</code></dt>"
    text += "<dd>\(optional)<code>\(escaped(type))</code> \(inline(value.summary))</dd>\n"
    for field in value.fields { text += row(field, under: path + value.name + ".") }
    return text
  }

  private func paragraphs(_ text: String) -> String {
    text.split(separator: "\n").map { "<p>\(inline($0))</p>\n" }.joined()
  }

  /// Text in which backticks mark code.
  private func inline(_ text: some StringProtocol) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
      index % 2 == 1 ? "<code>\(escaped(String(part)))</code>" : escaped(String(part))
    }.joined()
  }

  private func escaped(_ text: String) -> String { Markup.escaped(text) }
}
