import Host

/// A mistake in the catalog of scenarios.
public struct CatalogueError: Error, Sendable, CustomStringConvertible {
  /// The scenario and the mistake.
  public let description: String

  init(_ description: String) { self.description = description }
}
