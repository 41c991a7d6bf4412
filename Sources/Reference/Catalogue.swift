/// Everything that scripts can use, in the order of the reference.
public struct Catalogue: Sendable {
  /// Modules first, then classes, each by name.
  public let pages: [ReferencePage]

  /// The entries with a name, which may be a full name, one as in listings, or only its last part.
  ///
  /// Several when owners share the name; the client's entries come first.
  public func entries(named name: String) -> [ReferenceEntry] {
    let all = pages.flatMap(\.entries)
    let name = name.hasSuffix("()") ? String(name.dropLast(2)) : name
    let dotted = Self.dotted(name)
    func spellings(_ entry: ReferenceEntry) -> [String] {
      // An older spelling has the signature of the current one.
      let written = entry.current == nil ? [entry.writtenName, entry.signature] : []
      // A member of a table is also found by the table's name: `OAuthProvider.credential`.
      let inTable = entry.name.contains(".") ? [entry.name] : []
      return [entry.fullName, entry.shortName] + written + inTable
    }
    func whole(_ isSame: (String) -> Bool) -> [ReferenceEntry] {
      all.filter { spellings($0).contains { isSame(Self.dotted($0)) } }
    }
    var found = whole { $0 == dotted }
    // If a function and a method share a name, such as `OAuthProvider.credential` and
    // `OAuthProvider:credential`, the one with the separator of `name` comes first.
    let exact = found.filter { spellings($0).contains(name) }
    if !exact.isEmpty, exact.count < found.count {
      let others = found.filter { !spellings($0).contains(name) }
      return Self.ranked(exact) + Self.ranked(others)
    }
    if found.isEmpty { found = all.filter { $0.name == name || $0.lastWord == name } }
    // `user:link` is found in the class `User`, whatever object name its signatures use.
    if found.isEmpty { found = whole { $0.lowercased() == dotted.lowercased() } }
    return Self.ranked(found)
  }

  private static func ranked(_ entries: [ReferenceEntry]) -> [ReferenceEntry] {
    (0...3).flatMap { rank in entries.filter { Self.rank($0) == rank } }
  }

  /// The name with dots instead of colons, as users may not know which one it has.
  private static func dotted(_ name: String) -> String { name.replacing(":", with: ".") }

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
    for entry in pages.flatMap(\.entries) where entry.current == nil {
      let name = entry.fullName.lowercased()
      let prose = "\(name) \(entry.summary) \(entry.text)".lowercased()
      guard words.allSatisfy({ prose.contains($0) }) else { continue }
      let isNamed = words.allSatisfy { name.contains($0) }
      found.append((isNamed ? 0 : entry.summary.lowercased().contains(words[0]) ? 1 : 2, entry))
    }
    if found.isEmpty {
      // Search the arguments; if they do not match either, the examples, as for `microsoft.com`.
      for entry in pages.flatMap(\.entries) where entry.current == nil {
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

  /// All names that help can explain, for suggestions.
  public var names: [String] {
    pages.map(\.name) + pages.flatMap(\.entries).flatMap { [$0.fullName, $0.lastWord] }
      + pages.filter { $0.subject == .module }.flatMap(Self.tables) + Self.errorCodes
  }
}

extension ReferenceEntry.Value {
  /// The name and description of the value and its fields.
  fileprivate var prose: String {
    ([name, summary] + fields.map(\.prose)).joined(separator: " ")
  }
}
