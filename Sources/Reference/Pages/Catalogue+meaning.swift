/// Finds entries for names that are not written as in the reference.
extension Catalogue {
  /// The entries that a name most likely means.
  ///
  /// Extends ``entries(named:)`` by paths over values (`auth.currentUser:link`), names after that of their module
  /// (`luath.auth.Auth:signIn`) and names in another case (`signin`).
  func entries(meantBy name: String) -> [ReferenceEntry] {
    let name = name.replacing("()", with: "")
    let found = entries(named: name)
    if !found.isEmpty { return found }
    if let path = entry(at: Self.parts(of: name)[...]) { return [path] }
    for inside in insideModules(name) {
      let found = entries(named: inside)
      if !found.isEmpty { return found }
    }
    let lowered = name.lowercased()
    let spelling = pages.flatMap(\.entries).first { $0.lastWord.lowercased() == lowered }
    return spelling.map { entries(named: $0.lastWord) } ?? []
  }

  /// The page that a name means: extends ``page(named:)`` by classes after their module, as in `luath.auth.User`.
  func page(meantBy name: String) -> ReferencePage? {
    page(named: name)
      ?? insideModules(name).lazy.compactMap { inside in
        pages.first { $0.subject == .class && $0.name == inside }
      }.first
  }

  /// The rest of a name after each module name that it begins with.
  private func insideModules(_ name: String) -> [String] {
    pages.filter { $0.subject == .module && name.hasPrefix("\($0.name).") }
      .map { String(name.dropFirst($0.name.count + 1)) }
  }

  /// The entry at a path, where each part is a member of the previous part's value or result.
  private func entry(at path: ArraySlice<String>) -> ReferenceEntry? {
    guard path.count > 1, let last = path.last else { return nil }
    let start = path.dropLast()
    let whole = start.joined(separator: ".")
    let owner = entries(named: whole).first ?? entry(at: start)
    let types = owner?.valueType.map { [$0] } ?? Self.customary[whole] ?? []
    return types.lazy.compactMap { type in
      pages.first { $0.subject == .class && $0.name == type }?.entries.first { $0.name == last }
    }.first
  }

  /// The variable names that the documentation uses for values of some classes.
  private static let customary = [
    "err": ["AuthError"], "result": ["AuthDataResult", "MergeResult", "BatchResult"],
  ]

  /// The members of a table in a module, by the table's name: `EmailAuthProvider`, `Auth.EmailAuthProvider`.
  ///
  /// - Returns: The table's full name and its members; nil when there is no such table.
  func table(named name: String) -> (name: String, entries: [ReferenceEntry])? {
    for page in pages where page.subject == .module {
      let word = page.name.split(separator: ".").last.map(String.init) ?? page.name
      for table in Self.tables(of: page) {
        let spellings = [table, "\(word).\(table)", "\(page.name).\(table)"].map { $0.lowercased() }
        guard spellings.contains(name.lowercased()) else { continue }
        return (
          "\(page.name).\(table)",
          page.entries.filter { $0.name.hasPrefix("\(table).") && $0.current == nil }
        )
      }
    }
    return nil
  }

  static func tables(of page: ReferencePage) -> [String] {
    var tables: [String] = []
    for entry in page.entries where entry.current == nil {
      guard let dot = entry.name.lastIndex(of: ".") else { continue }
      let table = String(entry.name[..<dot])
      if !tables.contains(table) { tables.append(table) }
    }
    return tables
  }

  func text(
    ofTable table: (name: String, entries: [ReferenceEntry]), _ style: HelpStyle
  ) -> String {
    let owner = table.entries.first?.owner ?? ""
    return "\(style.bold(table.name))\n  table of \(owner)\n"
      + members(table.entries, style)
  }

  private static func parts(of name: String) -> [String] {
    name.split { $0 == "." || $0 == ":" }.map(String.init)
  }
}

extension ReferenceEntry {
  /// The class of the value, or of the result when it is called.
  fileprivate var valueType: String? {
    let written = signature.firstRange(of: ": ").map { String(signature[$0.upperBound...]) }
    guard let type = results.first?.type ?? written else { return nil }
    return type.hasSuffix("?") ? String(type.dropLast()) : type
  }
}
