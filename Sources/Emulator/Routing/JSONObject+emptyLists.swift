internal import System

extension JSONObject {
  /// The object without its members that are empty lists, at every depth: the JSON of protocol buffers omits them.
  var withoutEmptyLists: JSONObject {
    guard entries.contains(where: { Self.holdsEmptyList($0.value) }) else { return self }
    var kept = JSONObject()
    for (key, value) in entries where value.array?.isEmpty != true {
      kept[key] = Self.withoutEmptyLists(value)
    }
    return kept
  }

  private static func holdsEmptyList(_ value: JSON) -> Bool {
    switch value {
    case .array(let items): items.isEmpty || items.contains(where: holdsEmptyList)
    case .object(let object): object.entries.contains { holdsEmptyList($0.value) }
    default: false
    }
  }

  private static func withoutEmptyLists(_ value: JSON) -> JSON {
    switch value {
    case .array(let items): .array(items.map(withoutEmptyLists))
    case .object(let object): .object(object.withoutEmptyLists)
    default: value
    }
  }
}
