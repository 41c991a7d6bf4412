/// A journey as far as a choice among journeys looks at it.
public struct Candidate: Sendable, Equatable {
  /// What the journey is called in events: its file and its names, made unique.
  public let id: String
  /// The file as it was named or found.
  public let file: String
  /// The line the journey is declared at, counted from 1.
  public let line: Int
  /// The names of the blocks around it, outermost first, then its own.
  public let names: [String]
  /// Its tags and those of the blocks around it, without `#`.
  public let tags: [String]

  /// Makes a candidate of what the file declares.
  public init(id: String, file: String, line: Int, names: [String], tags: [String]) {
    self.id = id
    self.file = file
    self.line = line
    self.names = names
    self.tags = tags
  }

  /// The journey's own name.
  public var ownName: String { names.last ?? "" }

  /// All names, as reports join them.
  public var fullName: String { names.joined(separator: " > ") }
}
