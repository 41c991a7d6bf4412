import System

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
