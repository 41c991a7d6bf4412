/// A file made from the catalogue.
public struct GeneratedFile: Sendable {
  /// Its path below the folder it is written to.
  public let path: String
  /// What it holds.
  public let text: String

  /// Names a file and what it holds.
  public init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }
}
