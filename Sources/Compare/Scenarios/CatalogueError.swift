/// A mistake in the catalogue of scenarios.
public struct CatalogueError: Error, Sendable, CustomStringConvertible {
  /// The scenario and what is wrong with it.
  public let description: String

  init(_ description: String) { self.description = description }
}
