import Glibc
import Host
import System

/// A page of the documents, which the program contains.
struct Document: Sendable {
  /// A heading with the lines up to the next one.
  struct Section: Sendable {
    /// The title, without marks.
    let title: String
    /// The anchor in the form that GitHub gives it; empty for the text before the second heading.
    let anchor: String
    /// 1 for the title of the page.
    let level: Int
    /// The names in code marks in the title: `project`.
    let names: [String]
    var lines: [Substring]
  }

  /// The name without `.md`: `concepts`, `guides/load`.
  let name: String
  let sections: [Section]

  /// All pages, by name.
  static let all: [Document] = EmbeddedDocuments.files.map { path, text in
    Document(path, text.description)
  }.sorted { ($0.name.contains("/") ? 1 : 0, $0.name) < ($1.name.contains("/") ? 1 : 0, $1.name) }

  /// Reads a page.
  init(_ path: String, _ text: String) {
    name = Self.name(ofPath: path)
    var sections: [Section] = []
    // As at GitHub, a later heading of the same anchor gets a number.
    var anchors: [String: Int] = [:]
    var isCode = false
    var isComment = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.utf8.starts(with: "```".utf8) { isCode.toggle() }
      if !isCode, line.utf8.starts(with: "<!--".utf8) { isComment = true }
      if isComment {
        if line.utf8.suffix(3).elementsEqual("-->".utf8) { isComment = false }
        continue
      }
      let level = isCode ? 0 : line.utf8.prefix { $0 == UInt8(ascii: "#") }.count
      if level > 0, line.utf8.dropFirst(level).first == UInt8(ascii: " ") {
        let title = Markdown.plain(line.dropFirst(level + 1), in: name)
        let plain = Catalogue.anchor(title.replacing(" ", with: "-"))
        let earlier = anchors[plain, default: 0]
        anchors[plain] = earlier + 1
        let anchor = earlier == 0 ? plain : "\(plain)-\(earlier)"
        let names = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
          .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        sections.append(
          Section(
            title: title, anchor: level == 1 ? "" : anchor, level: level, names: names, lines: []))
      } else if !sections.isEmpty {
        sections[sections.count - 1].lines.append(line)
      }
    }
    self.sections = sections
  }

  /// The name of the page in a file below `docs`: `guides/engines/README.md` is `guides/engines`.
  static func name(ofPath path: String) -> String {
    var name = path.hasSuffix(".md") ? String(path.dropLast(3)) : path
    if name.hasSuffix("/README") { name = String(name.dropLast("/README".count)) }
    return name
  }

  var title: String { sections.first?.title ?? name }

  var topic: Topic {
    let short = name.split(separator: "/").last.map(String.init) ?? name
    var spellings = [name, short, "\(short).md", "docs/\(name)", "docs/\(name).md", title]
    if name == "project-file" { spellings.append("luath.lua") }
    return Topic(.page, "\(name).md", spellings: spellings, summary: title) { style in
      text(style)
    }
  }

  /// The sections whose titles have names: `luath doc project` shows that of the key.
  var sectionTopics: [Topic] {
    sections.filter { !$0.names.isEmpty && !$0.anchor.isEmpty }.map { section in
      Topic(
        .section, "\(name)#\(section.anchor)", spellings: section.names, summary: section.title
      ) { style in text(ofSection: section.anchor, style) ?? "" }
    }
  }

  /// The list of the guides.
  static let guides = Topic(
    .page, "guides.md", spellings: ["guides", "docs/guides"], summary: "guides for single tasks"
  ) { style in
    let pages = all.filter { $0.name.hasPrefix("guides/") }.map { ($0.name, $0.title) }
    return "\(style.bold("guides"))\n\n" + style.list(pages, indent: 2)
      + "\n  luath doc guides/NAME shows one.\n"
  }

  /// The whole page.
  func text(_ style: HelpStyle) -> String {
    sections.map { Markdown(style, page: name).text(of: $0) }.joined(separator: "\n")
  }

  /// The section with an anchor and the smaller ones below it; nil when there is none.
  func text(ofSection anchor: String, _ style: HelpStyle) -> String? {
    guard let start = sections.firstIndex(where: { $0.anchor == anchor }) else { return nil }
    let rest = sections[(start + 1)...].prefix { $0.level > sections[start].level }
    return ([sections[start]] + rest).map { Markdown(style, page: name).text(of: $0) }
      .joined(separator: "\n")
  }

  /// The text of `PAGE#SECTION`, as links write it; nil when there is no such page or section.
  static func text(at place: String, _ style: HelpStyle) -> String? {
    guard let mark = place.firstIndex(of: "#") else { return nil }
    let page = String(place[..<mark]).lowercased()
    let anchor = String(place[place.index(after: mark)...]).lowercased()
    let document = all.first { $0.topic.spellings.contains(page) }
    return document?.text(ofSection: anchor, style)
  }

  /// The sections that contain all words: those with the words in their titles first, at most `limit`.
  static func sections(
    mentioning text: String, limit: Int
  ) -> [(place: String, title: String)] {
    let words = text.lowercased().split(separator: " ").map(String.init)
    guard !words.isEmpty else { return [] }
    let titled = texts.filter { text in words.allSatisfy { text.title.contains($0) } }
    let others = texts.filter { text in
      words.allSatisfy { text.title.contains($0) || text.prose.contains($0) }
        && !words.allSatisfy { text.title.contains($0) }
    }
    return (titled + others).prefix(limit).map { ($0.place, $0.section.title) }
  }

  /// The sections with their texts in lower case.
  private static let texts:
    [(place: String, section: Section, title: SearchedText, prose: SearchedText)] =
      all.flatMap { page in
        page.sections.map { section in
          (
            section.anchor.isEmpty ? page.name : "\(page.name)#\(section.anchor)", section,
            SearchedText(section.title), SearchedText(section.lines.joined(separator: " "))
          )
        }
      }
}

/// A text in lower case, for many searches.
struct SearchedText: Sendable {
  private let bytes: ContiguousArray<CChar>

  init(_ text: String) { bytes = text.lowercased().utf8CString }

  /// Whether it has a word in lower case.
  func contains(_ word: String) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { strstr($0, word) != nil } ?? false
    }
  }
}
