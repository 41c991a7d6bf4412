internal import System

extension JSONObject {
  /// The object without members that have their default value, at every depth.
  ///
  /// The JSON of protocol buffers omits them: false, zero, empty strings and lists. Empty objects stay.
  var withoutDefaults: JSONObject {
    var kept = JSONObject()
    for (key, value) in entries where !Self.isDefault(value) {
      kept[key] = Self.withoutDefaults(value)
    }
    return kept
  }

  private static func isDefault(_ value: JSON) -> Bool {
    switch value {
    case .bool(let flag): !flag
    case .string(let text): text.isEmpty || text.hasSuffix("_UNSPECIFIED")
    case .array(let items): items.isEmpty
    case .integer, .number: value.number == 0
    case .null: true
    case .object: false
    }
  }

  private static func withoutDefaults(_ value: JSON) -> JSON {
    switch value {
    case .array(let items): .array(items.map(withoutDefaults))
    case .object(let object): .object(object.withoutDefaults)
    default: value
    }
  }
}
