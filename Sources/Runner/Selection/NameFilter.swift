/// Takes journeys by a part of their names, or by a pattern for the whole of them.
public struct NameFilter: Sendable {
  private let glob: Glob

  /// Reads a part of a name; with `*` or `?` in it, a pattern for the whole name.
  public init(_ text: String) {
    let own = Glob(text)
    glob = own.isLiteral ? Glob("*\(text)*") : own
  }

  /// Whether a name is meant.
  public func takes(_ name: String) -> Bool { glob.matches(name) }

  /// Whether the name of the journey, or all names joined by " > " or by blanks, are meant.
  public func takes(_ journey: PlannedJourney) -> Bool {
    glob.matches(journey.ownName) || glob.matches(journey.fullName)
      // As busted joins them.
      || glob.matches(journey.name.joined(separator: " "))
  }
}
