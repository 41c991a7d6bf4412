import System

/// The driver's id of an element.
struct ElementID: Sendable, Hashable {
  /// The JSON key of element references (WebDriver Level 2 section 12.1).
  static let key = "element-6066-11e4-a52e-4f735466cecf"

  /// The id.
  let name: String

  /// The element as an argument of scripts and actions.
  var json: JSON { [Self.key: .string(name)] }

  /// Reads an element from a script's result; nil when it is something else.
  init?(_ json: JSON) {
    guard let name = json[Self.key]?.string, !name.isEmpty else { return nil }
    self.name = name
  }

  var path: String { "/element/\(PercentEncoding.encode(name))" }
}
