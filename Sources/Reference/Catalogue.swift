public import HTTP
public import Host
import IdentityToolkit
import System

/// Everything that scripts can use, in the order of the reference.
public struct Catalogue: Sendable {
  /// Modules first, then classes, each by name.
  public let pages: [ReferencePage]
  /// The topics of the commands.
  var commandTopics: [Topic] = []
  /// The entries of all pages.
  let entries: [ReferenceEntry]
  /// The names inside the calls and results of the entries.
  let callParts: [CallPart]
  /// The indices of entries by each of their spellings, with dots for colons.
  private let bySpelling: [String: [Int]]
  /// The same by the spellings in lower case.
  private let byLowerCase: [String: [Int]]

  init(pages: [ReferencePage]) {
    self.pages = pages
    entries = pages.flatMap(\.entries)
    callParts = Self.callParts(of: entries)
    var places: [String: [Int]] = [:]
    for (index, entry) in entries.enumerated() {
      for spelling in Set(Self.spellings(entry).map(Self.dotted)) {
        places[spelling, default: []].append(index)
      }
    }
    bySpelling = places
    byLowerCase = Dictionary(places.map { ($0.key.lowercased(), $0.value) }) {
      Set($0 + $1).sorted()
    }
  }

  /// The entries with a name, which may be a full name, one as in listings, or only its last part.
  ///
  /// Several when owners share the name; the client's entries come first.
  public func entries(named name: String) -> [ReferenceEntry] {
    let name = name.hasSuffix("()") ? String(name.dropLast(2)) : name
    let dotted = Self.dotted(name)
    var found = bySpelling[dotted, default: []].map { entries[$0] }
    // If a function and a method share a name, such as `OAuthProvider.credential` and
    // `OAuthProvider:credential`, the one with the separator of `name` comes first.
    let exact = found.filter { Self.spellings($0).contains(name) }
    if !exact.isEmpty, exact.count < found.count {
      let others = found.filter { !Self.spellings($0).contains(name) }
      return Self.ranked(exact) + Self.ranked(others)
    }
    if found.isEmpty { found = entries.filter { $0.name == name || $0.lastWord == name } }
    // `user:link` is found in the class `User`, whatever object name its signatures use.
    if found.isEmpty {
      found = byLowerCase[dotted.lowercased(), default: []].map { entries[$0] }
    }
    return Self.ranked(found)
  }

  /// The names by which an entry is found.
  private static func spellings(_ entry: ReferenceEntry) -> [String] {
    // An older spelling has the signature of the current one.
    let written = entry.current == nil ? [entry.writtenName, entry.signature] : []
    // A member of a table is also found by the table's name: `OAuthProvider.credential`.
    let inTable = entry.name.contains(".") ? [entry.name] : []
    return [entry.fullName, entry.shortName] + written + inTable
  }

  private static func ranked(_ entries: [ReferenceEntry]) -> [ReferenceEntry] {
    (0...3).flatMap { rank in entries.filter { Self.rank($0) == rank } }
  }

  /// The name with dots instead of colons, as users may not know which one it has.
  private static func dotted(_ name: String) -> String {
    String(
      decoding: name.utf8.map { $0 == UInt8(ascii: ":") ? UInt8(ascii: ".") : $0 }, as: UTF8.self)
  }

  /// The rank of an owner when several share a name: client classes first, administration last.
  private static func rank(_ entry: ReferenceEntry) -> Int {
    switch entry.owner {
    case "Auth": 0
    case "User", "luath.auth": 1
    case "Admin", "luath.admin": 3
    default: 2
    }
  }

  /// The page of a module or class: `luath.json`, `json`, `Auth`, `auth`.
  func page(named name: String) -> ReferencePage? {
    pages.first { $0.name == name } ?? pages.first { $0.name == "luath.\(name)" }
      ?? pages.first { $0.name.lowercased() == name.lowercased() }
  }

  /// The entries that mention all words of a text, for apropos; those with the words in their names first.
  func search(_ text: String) -> [ReferenceEntry] {
    let words = text.lowercased().split(separator: " ").map(String.init)
    guard !words.isEmpty else { return [] }
    var found: [(rank: Int, entry: ReferenceEntry)] = []
    for entry in entries where entry.current == nil {
      let name = entry.fullName.lowercased()
      let prose = "\(name) \(entry.summary) \(entry.text)".lowercased()
      guard words.allSatisfy({ Self.mentions($0, in: prose) }) else { continue }
      let isNamed = words.allSatisfy { name.contains($0) }
      found.append((isNamed ? 0 : entry.summary.lowercased().contains(words[0]) ? 1 : 2, entry))
    }
    if found.isEmpty {
      // Search the arguments; if they do not match either, the examples, as for `microsoft.com`.
      for entry in entries where entry.current == nil {
        let arguments = entry.parameters.map(\.prose).joined(separator: " ").lowercased()
        let example = entry.example.lowercased()
        if words.allSatisfy({ arguments.contains($0) }) {
          found.append((0, entry))
        } else if words.allSatisfy({ example.contains($0) }) {
          found.append((1, entry))
        }
      }
      if found.contains(where: { $0.rank == 0 }) { found.removeAll { $0.rank == 1 } }
    }
    return (0...2).flatMap { rank in found.filter { $0.rank == rank }.map(\.entry) }
  }

  /// Whether a text has a word; one of up to three letters must stand alone, as `oid` is also in `oidc`.
  private static func mentions(_ word: String, in text: String) -> Bool {
    guard word.count <= 3 else { return text.contains(word) }
    return text.split { !$0.isLetter && !$0.isNumber }.contains { $0 == word }
  }

  /// All names that help can explain, for suggestions.
  public var names: [String] {
    pages.map(\.name) + entries.flatMap { [$0.fullName, $0.lastWord] }
      + pages.filter { $0.subject == .module }.flatMap(Self.tables) + Self.errorCodes
      + topics.flatMap(\.names).sorted() + callParts.filter { !$0.isPositional }.map(\.name)
  }
}

extension ReferenceEntry.Value {
  /// The name and description of the value and its fields.
  fileprivate var prose: String {
    ([name, summary] + fields.map(\.prose)).joined(separator: " ")
  }
}

extension Catalogue {
  /// Creates the catalogue of everything that a surface declares, and of the Lua library.
  ///
  /// Opens every module of the host; call it on the interpreter's thread.
  public init(_ surface: Surface, commands: [Command] = []) {
    var modules: [ReferencePage] = []
    var classes: [ReferencePage] = []
    for name in Surface.documentedModules {
      guard let module = surface.module(name) else { continue }
      let made = HostPages(module, PageText(Texts.text(of: name)))
      modules.append(made.module)
      classes += made.classes
    }
    for part in LibraryPart.all {
      let made = LibraryPages(part)
      modules.append(made.module)
      classes += made.classes
    }
    self.init(pages: modules.sorted { $0.name < $1.name } + classes.sorted { $0.name < $1.name })
    commandTopics = CommandTopics.topics(of: commands)
  }

  /// Creates the catalogue with a separate interpreter, which makes no requests.
  public static func make(commands: [Command] = []) async throws(HTTPError) -> Catalogue {
    let loop = try EventLoop(name: "reference")
    try loop.start()
    let target = Target(projectID: "demo", apiKey: Secret("none"), backend: .production)
    let catalogue = await LoopActor(loop).run { actor in
      let interpreter = Interpreter(context: ScriptContext(target: target), actor: actor)
      defer { interpreter.close() }
      return Catalogue(interpreter.surface, commands: commands)
    }
    loop.stop()
    loop.join()
    return catalogue
  }
}

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
    let spelling = entries.first { $0.lastWord.lowercased() == lowered }
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
    // Methods are written with the names of objects: `provider:addScope` is of OAuthProvider.
    let objects = pages.filter { page in
      page.entries.contains { $0.kind == .method && $0.signature.hasPrefix("\(whole):") }
    }
    let types =
      [owner?.valueType].compactMap(\.self) + (Self.customary[whole] ?? []) + objects.map(\.name)
    return types.lazy.compactMap { type in
      pages.first { $0.subject == .class && $0.name == type }?.entries.first { $0.name == last }
    }.first
  }

  /// The variable names that the documentation uses for values of some classes.
  private static let customary = [
    "ada": ["Actor"], "authResult": ["AuthDataResult"], "err": ["AuthError"],
    "result": ["AuthDataResult", "MergeResult", "BatchResult"],
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
