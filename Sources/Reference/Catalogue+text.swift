public import Host
import IdentityToolkit
import System

extension Catalogue {
  /// The help for a function, method, property or field in a terminal.
  ///
  /// For an older spelling it is the help of the current one, which lists the older ones.
  func text(of entry: ReferenceEntry, _ style: HelpStyle = HelpStyle()) -> String {
    if entry.current != nil {
      let today = current(of: entry)
      if today.current == nil { return text(of: today, style) }
    }
    var text = style.bold(entry.signature) + "\n"
    text += "  \(Self.kind(of: entry))\n"
    func part(_ title: String, _ body: String) {
      if !body.isEmpty { text += "\n\(style.bold(title))\n\(body)" }
    }
    text += "\n" + style.wrapped(entry.summary.withoutMarks, indent: 2) + "\n"
    if !entry.text.isEmpty {
      text += "\n" + style.wrapped(entry.text.withoutMarks, indent: 2) + "\n"
    }
    part("Arguments", style.list(entry.parameters.flatMap { Self.lines($0) }, indent: 2))
    if entry.kind == .function || entry.kind == .method {
      part("Results", style.list(entry.results.map(Self.result), indent: 2))
    }
    part("Errors", style.list(entry.errors.map { ($0.name, $0.summary) }, indent: 2))
    let older = entries.filter {
      $0.current == entry.name && $0.owner == entry.owner
    }
    let names = older.map(\.name) + Spellings.shared.functionNames(of: entry.owner, entry.name)
    if !names.isEmpty {
      part("Other spellings", style.wrapped(names.joined(separator: ", "), indent: 2) + "\n")
    }
    let labels = Spellings.shared.labelNames(ofUsage: entry.signature)
    if !labels.isEmpty {
      let words = "keys of one table as the only argument: \(labels.joined(separator: ", "))"
      part("Argument labels", style.wrapped(words, indent: 2) + "\n")
    }
    if !entry.example.isEmpty {
      let lines = entry.example.split(separator: "\n", omittingEmptySubsequences: false)
      part("Example", lines.map { $0.isEmpty ? "\n" : "  \($0)\n" }.joined())
    }
    return text
  }

  /// The help for a module or class, with its members.
  func text(of page: ReferencePage, _ style: HelpStyle = HelpStyle()) -> String {
    var text = style.bold(page.name) + "\n  \(page.subject.rawValue)\n"
    text += "\n" + style.wrapped(page.summary.withoutMarks, indent: 2) + "\n"
    if !page.text.isEmpty {
      text += "\n" + style.wrapped(page.text.withoutMarks, indent: 2) + "\n"
    }
    return text + members(page.entries, style)
  }

  /// The lists of properties, fields, functions and methods, without older spellings.
  func members(_ all: [ReferenceEntry], _ style: HelpStyle) -> String {
    var text = ""
    for (title, kinds) in [
      ("Properties", [ReferenceEntry.Kind.property]), ("Fields", [.field]),
      ("Functions", [.function]), ("Methods", [.method]),
    ] {
      let entries = all.filter { kinds.contains($0.kind) && $0.current == nil }
      guard !entries.isEmpty else { continue }
      let lines = style.list(entries.map { ($0.signature, $0.summary) }, indent: 2)
      text += "\n\(style.bold(title))\n\(lines)"
    }
    return text
  }

  /// The help for a name: an explanation, or otherwise the entries that mention it.
  ///
  /// - Returns: Nil when nothing mentions it.
  public func text(of name: String, _ style: HelpStyle = HelpStyle()) -> String? {
    explanation(of: name, style) ?? apropos(name, style)
  }

  /// The help for a name: its page, entry, error code or table, or a link to Lua's manual.
  ///
  /// - Returns: Nil when the name is unknown.
  public func explanation(of name: String, _ style: HelpStyle = HelpStyle()) -> String? {
    if let place = Document.text(at: name, style) { return place }
    let topics = topics(named: name)
    let parts = callParts(named: name)
    let error = Self.errorCode(named: name).map { self.text(of: $0, style) }
    let manual = Self.luaAddress(of: name)
    let command = topics.first { $0.kind == .command && $0.name == "luath \(name)" }
    var text: String
    var others: [(name: String, words: String)] = []
    // `userInfo` is a field of errors, and only with other letters `UserInfo` or `userinfo`.
    let isOtherCase = parts.contains { $0.name == name && !$0.isPositional }
    if let page = page(meantBy: name), page.name.hasSuffix(name) || !isOtherCase {
      text = self.text(of: page, style)
    } else {
      var entries = entries(meantBy: name)
      if isOtherCase, !entries.contains(where: { $0.name.hasSuffix(name) }) { entries = [] }
      guard !entries.isEmpty else {
        if let text = shortest(error, table(named: name), topics, manual, name, style) {
          return text + list(ofOptions: parts, style)
        }
        guard let text = self.text(ofParts: parts, style) else { return withoutEntry(name, style) }
        return text + (page(meantBy: name).map { "\nSee also luath doc \($0.name).\n" } ?? "")
      }
      text = self.text(of: entries.removeFirst(), style)
      // Older spellings are part of the current one's help.
      others += entries.filter { $0.current == nil }.map { ($0.fullName, $0.summary) }
    }
    let errors = topics.filter { $0.kind == .error }
    others += topics.filter { $0.kind != .error && $0.name != command?.name }
      .map { ($0.name, $0.summary) }
    if let command { text = "\(command.text(style))\n\(text)" }
    if !others.isEmpty {
      text += "\n\(style.bold("Others of that name"))\n\(style.list(others, indent: 2))"
    }
    text += list(ofOptions: parts, style)
    for part in [error].compactMap(\.self) + errors.map({ $0.text(style) }) { text += "\n\(part)" }
    if let manual { text += "\nLua itself has \(name) too: \(manual)\n" }
    return text
  }

  /// The help for a name that only the SDKs or the documents have, or that is written in another way.
  private func withoutEntry(_ name: String, _ style: HelpStyle) -> String? {
    if let plain = Self.withoutLabels(name), let text = explanation(of: plain, style) {
      return text
    }
    if let advice = Spellings.shared.advice(forName: name) {
      return
        "\(style.bold(name))\n  a name of Firebase's SDKs, which luath does not have\n\n  \(advice)\n"
    }
    if let text = Self.unknownExit(name, style) { return text }
    if let text = ManualPassage.text(about: name, style) {
      return text + (mentions(of: name, style).map { "\n\($0)" } ?? "")
    }
    if let word = Self.asOneWord(name), let text = explanation(of: word, style) { return text }
    let titles = [name, "the \(name)"].map { $0.lowercased() }
    if let section = Document.sections(mentioning: name, limit: 12)
      .first(where: { titles.contains($0.title.lowercased()) })
    {
      return Document.text(at: section.place, style)
    }
    return nil
  }

  /// The help for a name that no page or entry has.
  private func shortest(
    _ error: String?, _ table: (name: String, entries: [ReferenceEntry])?, _ topics: [Topic],
    _ manual: String?, _ name: String, _ style: HelpStyle
  ) -> String? {
    var parts = [error].compactMap(\.self)
    parts += table.map { [text(ofTable: $0, style)] } ?? []
    let isCommand = topics.contains { $0.kind == .command }
    let isShown = { (topic: Topic) in
      topic.kind.isShort || topic.kind == .section && !isCommand
    }
    let isMeant = { (topic: Topic) in topic.kind == .command && topic.name == "luath \(name)" }
    let shown = topics.filter(isMeant) + topics.filter { isShown($0) && !isMeant($0) }
    parts += shown.map { $0.text(style) }
    var long = topics.filter { !isShown($0) && !isMeant($0) }[...]
    if parts.isEmpty, let first = long.popFirst() { parts.append(first.text(style)) }
    if !long.isEmpty {
      let list = style.list(long.map { ($0.name, $0.summary) }, indent: 2)
      parts.append("\(style.bold("Others of that name"))\n\(list)")
    }
    if let manual {
      parts.append(
        parts.isEmpty
          ? "\(style.bold(name))\n  of Lua itself\n\n  \(manual)\n"
          : "Lua itself has \(name) too: \(manual)\n")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "\n")
  }

  /// The entries that mention some words, and the most similar name; nil when there is neither.
  public func apropos(_ text: String, _ style: HelpStyle = HelpStyle()) -> String? {
    let near = nearest(to: text)
    let mentions = mentions(of: text, style)
    guard near != nil || mentions != nil else { return nil }
    var answer = "nothing is called \(text.printable)"
    answer += near.map { "; did you mean \($0)?\n" } ?? ".\n"
    return answer + (mentions.map { "\n\($0)" } ?? "")
  }

  /// The most similar known name; nil when none is similar enough.
  public func nearest(to name: String) -> String? {
    if let code = name.firstRange(of: "ErrorCode.") {
      return nearestName(to: String(name[code.upperBound...]), among: Self.errorCodes)
    }
    return nearestName(to: name, among: names)
  }

  /// The lists of entries and errors that mention some words; nil when there are none.
  public func mentions(of text: String, _ style: HelpStyle = HelpStyle()) -> String? {
    let found = search(text).map { ($0.fullName, $0.summary) }
    let topics = topics(mentioning: text)
    let errors =
      Self.errors(mentioning: text).map { ($0.rawValue, $0.summary) }
      + topics.filter { $0.kind == .error }.map { ($0.name, $0.summary) }
    let others = topics.filter { ![.error, .section, .page].contains($0.kind) }.map {
      ($0.name, $0.summary)
    }
    let places = Document.sections(mentioning: text, limit: 12).map { ($0.place, $0.title) }
    var lists: [String] = []
    for (title, list) in [
      ("What mentions it", found), ("Errors about it", errors),
      ("Commands, options and keys about it", others), ("Pages about it", places),
    ] where !list.isEmpty {
      lists.append("\(title):\n" + style.list(list, indent: 2))
    }
    return lists.isEmpty ? nil : lists.joined(separator: "\n")
  }

  /// The one-line help for a name: the signature of an entry or the summary of a page; nil when it is unknown.
  public func headline(of name: String) -> String? {
    if let page = page(named: name) { return page.summary }
    if let entry = entries(named: name).first { return current(of: entry).signature }
    return Self.errorCode(named: name).map { _ in "error code" }
  }

  /// The current spelling's entry, or the entry itself.
  func current(of entry: ReferenceEntry) -> ReferenceEntry {
    guard let name = entry.current else { return entry }
    // The name of another SDK's function may stand for a method: `User:link`.
    return entries.first { $0.owner == entry.owner && $0.name == name }
      ?? entries.first { $0.fullName == name } ?? entry
  }

  /// The list of all modules and classes.
  public func overview(_ style: HelpStyle = HelpStyle()) -> String {
    var text = ""
    for (title, subject) in [("Modules", ReferencePage.Subject.module), ("Classes", .class)] {
      let list = pages.filter { $0.subject == subject }.map { ($0.name, $0.summary) }
      text += "\(style.bold(title))\n\(style.list(list, indent: 2))\n"
    }
    for (title, kind) in [("Commands", Topic.Kind.command), ("Pages", .page)] {
      let list = topics.filter { $0.kind == kind }.map {
        (kind == .page ? String($0.name.dropLast(3)) : $0.name, $0.summary)
      }
      if !list.isEmpty { text += "\(style.bold(title))\n\(style.list(list, indent: 2))\n" }
    }
    return text
  }

  // MARK: Words

  private static func kind(of entry: ReferenceEntry) -> String {
    let words =
      switch entry.kind {
      case .function: "function of \(entry.owner)"
      case .method: "method of \(entry.owner)"
      case .property: "property of \(entry.owner)"
      case .field: "field of \(entry.owner)"
      }
    return entry.waits ? words + ", waits" : words
  }

  private static func lines(
    _ value: ReferenceEntry.Value, under path: String = ""
  ) -> [(name: String, words: String)] {
    let type = value.fields.isEmpty ? value.type : value.plainType
    let optional = value.isOptional ? "optional " : ""
    let words = [optional + type, value.summary].filter { !$0.isEmpty }.joined(separator: ": ")
    return [(path + value.name, words)]
      + value.fields.flatMap { lines($0, under: path + value.name + ".") }
  }

  private static func result(_ value: ReferenceEntry.Value) -> (name: String, words: String) {
    value.name.isEmpty
      ? (value.type, value.summary)
      : (value.name, [value.type, value.summary].filter { !$0.isEmpty }.joined(separator: ": "))
  }
}

extension ReferenceEntry.Value {
  /// The type with `table` in place of an options table, whose fields are listed separately.
  var plainType: String {
    var type = type
    while let open = type.firstIndex(of: "{") {
      var depth = 0
      var end = open
      for at in type[open...].indices {
        if type[at] == "{" { depth += 1 }
        if type[at] == "}" { depth -= 1 }
        end = at
        if depth == 0 { break }
      }
      type.replaceSubrange(open...end, with: "table")
    }
    return type
  }
}
