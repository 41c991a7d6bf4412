internal import System

extension JSONObject {
  /// The object without members that have their default value, at every depth.
  ///
  /// The JSON of protocol buffers omits them: false, zero, empty strings and lists. Empty objects stay.
  var withoutDefaults: JSONObject { without(Self.isDefault) }

  /// The object without its members that are empty lists, at every depth: the JSON of protocol buffers omits them.
  var withoutEmptyLists: JSONObject {
    guard entries.contains(where: { Self.holdsEmptyList($0.value) }) else { return self }
    return without { $0.array?.isEmpty == true }
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

  private static func holdsEmptyList(_ value: JSON) -> Bool {
    switch value {
    case .array(let items): items.isEmpty || items.contains(where: holdsEmptyList)
    case .object(let object): object.entries.contains { holdsEmptyList($0.value) }
    default: false
    }
  }

  private func without(_ isOmitted: (JSON) -> Bool) -> JSONObject {
    var kept = JSONObject()
    for (key, value) in entries where !isOmitted(value) {
      kept[key] = Self.without(isOmitted, in: value)
    }
    return kept
  }

  private static func without(_ isOmitted: (JSON) -> Bool, in value: JSON) -> JSON {
    switch value {
    case .array(let items): .array(items.map { without(isOmitted, in: $0) })
    case .object(let object): .object(object.without(isOmitted))
    default: value
    }
  }
}
