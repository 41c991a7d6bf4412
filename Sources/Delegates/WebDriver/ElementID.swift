public import Encoding

/// The driver's name for an element of the page.
public struct ElementID: Sendable, Hashable {
  /// The key under which elements travel (WebDriver Level 2 section 12.1).
  static let key = "element-6066-11e4-a52e-4f735466cecf"

  /// The name.
  public let name: String

  /// The element as scripts and actions take it.
  public var json: JSON { [Self.key: .string(name)] }

  /// Reads an element from what a script returned; nil when it is something else.
  public init?(_ json: JSON) {
    guard let name = json[Self.key]?.string, !name.isEmpty else { return nil }
    self.name = name
  }

  var path: String { "/element/\(PercentEncoding.encode(name))" }
}
