import System

/// Writes JSON as block YAML 1.2, one line per member.
enum YAMLBlock {
  static func lines(_ json: JSON) -> [String] {
    switch json {
    case .object(let object) where !object.isEmpty:
      object.entries.flatMap { member("\($0.key):", $0.value) }
    case .array(let elements) where !elements.isEmpty: elements.flatMap { member("-", $0) }
    default: [scalar(json)]
    }
  }

  private static func member(_ head: String, _ value: JSON) -> [String] {
    switch value {
    case .object(let object) where !object.isEmpty:
      [head] + lines(value).map { "  \($0)" }
    case .array(let elements) where !elements.isEmpty:
      [head] + lines(value).map { "  \($0)" }
    default: ["\(head) \(scalar(value))"]
    }
  }

  /// Returns a scalar as JSON, which means the same in YAML 1.2.
  ///
  /// Control characters are replaced rather than escaped, because not every reader supports `\u`.
  private static func scalar(_ json: JSON) -> String {
    guard case .string(let text) = json else { return json.encoded() }
    return JSON.string(text.reportLines.joined(separator: "\n")).encoded()
  }
}
