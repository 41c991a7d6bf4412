/// Everything that scripts can use, in the order of the reference.
public struct Catalogue: Sendable {
  /// Modules first, then classes, each by name.
  public let pages: [ReferencePage]

  /// A catalogue of these pages.
  public init(pages: [ReferencePage]) { self.pages = pages }

  /// What a name means: a full name, or the last word of one; more than one when owners share it.
  public func entries(named name: String) -> [ReferenceEntry] {
    pages.flatMap(\.entries).filter { $0.fullName == name || $0.name == name }
  }
}
