import System

extension [Setting] {
  /// Returns the settings in a message of the backend, by their names for administrators.
  ///
  /// A missing flag is false, as in Protocol Buffers. Other missing settings are left out, as are
  /// empty texts, which Protocol Buffers would not send, and choices that were never made.
  func values(in message: JSONObject) -> JSONObject {
    var values = JSONObject()
    for setting in self { values[setting.name] = setting.value(in: message) }
    return values
  }
}

extension Setting {
  fileprivate func value(in message: JSONObject) -> JSON? {
    var found: JSON? = .object(message)
    for field in path { found = found?[field] }
    if case .flag = kind { return .bool(found?.bool ?? false) }
    if case .oppositeFlag = kind { return .bool(!(found?.bool ?? false)) }
    guard let found, !found.isNull else { return nil }
    if case .text = kind, found == "" { return nil }
    // The value of a choice that was never made; it cannot be written.
    if case .choice = kind, found.string?.hasSuffix("_UNSPECIFIED") == true { return nil }
    switch kind {
    case .text, .choice, .flag, .oppositeFlag, .integer, .number, .texts, .textsByName:
      return found
    case .wrappedTexts(let field): return .array((found.array ?? []).compactMap { $0[field] })
    case .renamedTexts(let names):
      return .array(
        (found.array ?? []).map { item in
          names.first { item == .string($0.wire) }.map { .string($0.name) } ?? item
        })
    case .group(let inner), .whole(let inner), .shown(let inner):
      return found.object.map { .object(inner.values(in: $0)) }
    case .onlyItem(let field, let inner):
      return found.array?.first?[field]?.object.map { .object(inner.values(in: $0)) }
    case .items(let inner):
      return .array((found.array ?? []).compactMap(\.object).map { .object(inner.values(in: $0)) })
    }
  }
}
