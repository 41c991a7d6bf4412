import Host

/// A mistake in the catalog of scenarios.
struct CatalogueError: Error, Sendable, CustomStringConvertible {
  /// The scenario and the mistake.
  let description: String

  init(_ description: String) { self.description = description }
}
