/// Selects journeys by a part of the name, or by a pattern for the whole name.
public struct NameFilter: Sendable {
  private let glob: Glob

  /// Creates a filter from a part of a name, or, with `*` or `?`, from a pattern for the whole name.
  public init(_ text: String) {
    let own = Glob(text)
    glob = own.isLiteral ? Glob("*\(text)*") : own
  }

  /// Whether the filter matches a name.
  public func takes(_ name: String) -> Bool { glob.matches(name) }

  /// Whether the filter matches the journey's own name, or all its names joined by " > " or blanks.
  func takes(_ journey: PlannedJourney) -> Bool {
    glob.matches(journey.ownName) || glob.matches(journey.fullName)
      // busted joins them by blanks.
      || glob.matches(journey.name.joined(separator: " "))
  }
}
