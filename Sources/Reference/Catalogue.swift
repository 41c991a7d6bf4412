/// Everything that scripts can use, in the order of the reference.
public struct Catalogue: Sendable {
  /// Modules first, then classes, each by name.
  public let pages: [ReferencePage]

  /// A catalogue of these pages.
  public init(pages: [ReferencePage]) { self.pages = pages }

  /// What a name means: a full name, one as listings write it, or the last word of one; more than one when
  /// owners share it, those of the client first.
  public func entries(named name: String) -> [ReferenceEntry] {
    let all = pages.flatMap(\.entries)
    let name = name.hasSuffix("()") ? String(name.dropLast(2)) : name
    let dotted = Self.dotted(name)
    func spellings(_ entry: ReferenceEntry) -> [String] {
      // The signature of an older spelling is that of today's.
      let written = entry.current == nil ? [entry.writtenName, entry.signature] : []
      // A member of a table goes by the table's name: `OAuthProvider.credential`.
      let inTable = entry.name.contains(".") ? [entry.name] : []
      return [entry.fullName, entry.shortName] + written + inTable
    }
    func whole(_ isSame: (String) -> Bool) -> [ReferenceEntry] {
      all.filter { spellings($0).contains { isSame(Self.dotted($0)) } }
    }
    var found = whole { $0 == dotted }
    // Of a function and a method of one name, such as `OAuthProvider.credential` and
    // `OAuthProvider:credential`, the one that is written with this sign comes first.
    let exact = found.filter { spellings($0).contains(name) }
    if !exact.isEmpty, exact.count < found.count {
      let others = found.filter { !spellings($0).contains(name) }
      return Self.ranked(exact) + Self.ranked(others)
    }
    if found.isEmpty { found = all.filter { $0.name == name || $0.lastWord == name } }
    // As `user:link` is of the class `User`, whatever its objects are called in signatures.
    if found.isEmpty { found = whole { $0.lowercased() == dotted.lowercased() } }
    return Self.ranked(found)
  }

  private static func ranked(_ entries: [ReferenceEntry]) -> [ReferenceEntry] {
    (0...3).flatMap { rank in entries.filter { Self.rank($0) == rank } }
  }

  /// A name with dots only: whoever asks for help does not think of which it is.
  private static func dotted(_ name: String) -> String { name.replacing(":", with: ".") }

  /// What most people mean by a name that several owners share: what an app calls, an administrator last.
  private static func rank(_ entry: ReferenceEntry) -> Int {
    switch entry.owner {
    case "Auth": 0
    case "User", "luath.auth": 1
    case "Admin", "luath.admin": 3
    default: 2
    }
  }

  /// The module or class of a name: `luath.json`, `json`, `Auth`, `auth`.
  public func page(named name: String) -> ReferencePage? {
    pages.first { $0.name == name } ?? pages.first { $0.name == "luath.\(name)" }
      ?? pages.first { $0.name.lowercased() == name.lowercased() }
  }

  /// What mentions all of some words, in its name first: apropos.
  public func search(_ text: String) -> [ReferenceEntry] {
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
      // What only an argument or, failing that, an example tells of, as `microsoft.com`.
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

  /// Every name that helps are asked for: to find the one that was meant.
  public var names: [String] {
    pages.map(\.name) + pages.flatMap(\.entries).flatMap { [$0.fullName, $0.lastWord] }
      + pages.filter { $0.subject == .module }.flatMap(Self.tables) + Self.errorCodes
  }
}

extension ReferenceEntry.Value {
  /// All words about it and its fields.
  fileprivate var prose: String {
    ([name, summary] + fields.map(\.prose)).joined(separator: " ")
  }
}
