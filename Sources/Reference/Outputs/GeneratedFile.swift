/// A file generated from the catalogue.
public struct GeneratedFile: Sendable {
  /// The path, relative to the output folder.
  public let path: String
  /// The contents.
  public let text: String

  /// Creates a file.
  public init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }
}
