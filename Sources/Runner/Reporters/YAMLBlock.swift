import Encoding

/// Writes JSON values as a block of YAML 1.2, a line for each member.
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

  /// JSON's texts, numbers and empty lists mean the same in YAML 1.2.
  ///
  /// Control characters are replaced rather than escaped, as not every reader knows `\u`.
  private static func scalar(_ json: JSON) -> String {
    guard case .string(let text) = json else { return json.encoded() }
    return JSON.string(text.reportLines.joined(separator: "\n")).encoded()
  }
}
