/// Everything that scripts can use, in the order of the reference.
public struct Catalogue: Sendable {
  /// Modules first, then classes, each by name.
  public let pages: [ReferencePage]

  /// A catalogue of these pages.
  public init(pages: [ReferencePage]) { self.pages = pages }

  /// What a name means: a full name, or the last word of one; more than one when owners share it.
  public func entries(named name: String) -> [ReferenceEntry] {
    let all = pages.flatMap(\.entries)
    let dotted = name.replacing(":", with: ".")
    let whole = all.filter { entry in
      [entry.fullName, entry.shortName].contains {
        $0 == name || $0.replacing(":", with: ".") == dotted
      }
    }
    return whole.isEmpty ? all.filter { $0.name == name || $0.lastWord == name } : whole
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
    return (0...2).flatMap { rank in found.filter { $0.rank == rank }.map(\.entry) }
  }

  /// Every name that helps are asked for: to find the one that was meant.
  public var names: [String] {
    pages.map(\.name) + pages.flatMap(\.entries).flatMap { [$0.fullName, $0.lastWord] }
  }
}
