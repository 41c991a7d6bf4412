import System
import IdentityToolkit

/// The request of a settings change: the new values, and the list of changed fields.
struct SettingsChange {
  private(set) var body = JSONObject()
  /// Dotted paths for `updateMask`.
  private(set) var mask: [String] = []

  /// Parses settings; `place` is the name of their table in error messages.
  ///
  /// False clears a text, a list or a table.
  init(_ values: JSONObject, of settings: [Setting], in place: String) throws(AdminError) {
    for (name, value) in values.entries {
      guard let setting = settings.first(where: { $0.name == name || $0.alias == name }) else {
        let advice = nearestName(to: name, among: settings.map(\.name))
        throw AdminError(
          .invalidArgument, "\(place) has no setting '\(name)'",
          hint: advice.map { "did you mean '\($0)'?" })
      }
      if name != setting.name, values[setting.name] != nil {
        throw AdminError(.invalidArgument, "\(place) has both \(setting.name) and \(name)")
      }
      try add(setting, value, "\(place).\(name)")
    }
  }

  private mutating func add(
    _ setting: Setting, _ value: JSON, _ place: String
  ) throws(AdminError) {
    switch setting.kind {
    case .group(let inner):
      guard let values = try Self.table(value, place) else { return put([:], setting.path) }
      let change = try SettingsChange(values, of: inner, in: place)
      // A group without a message has no field of its own to set.
      if change.mask.isEmpty, !setting.path.isEmpty { return put([:], setting.path) }
      for (name, value) in change.body.entries {
        body.merge(value, at: setting.path + [name])
      }
      mask += change.mask.map { (setting.path + [$0]).joined(separator: ".") }
    case let kind:
      put(try Self.wire(kind, value, place), setting.path)
    }
  }

  private mutating func put(_ value: JSON, _ path: [String]) {
    guard !path.isEmpty else { return }
    body.merge(value, at: path)
    mask.append(path.joined(separator: "."))
  }

  // MARK: Values

  private static func wire(
    _ kind: Setting.Kind, _ value: JSON, _ place: String
  ) throws(AdminError) -> JSON {
    switch kind {
    case .text:
      if isNothing(value) { return "" }
      guard value.string != nil else { throw wrong(place, "a string, or false to clear it") }
      return value
    case .choice(let names):
      guard let text = value.string, names.contains(text) else {
        throw wrong(place, names.map { "'\($0)'" }.joined(separator: " or "))
      }
      return value
    case .flag, .oppositeFlag:
      guard let flag = value.bool else { throw wrong(place, "true or false") }
      if case .oppositeFlag = kind { return .bool(!flag) }
      return value
    case .integer:
      guard value.integer != nil else { throw wrong(place, "a whole number") }
      return value
    case .number:
      guard value.number != nil else { throw wrong(place, "a number") }
      return value
    case .texts: return .array(try texts(value, place).map { .string($0) })
    case .wrappedTexts(let field):
      return .array(try texts(value, place).map { [field: .string($0)] })
    case .renamedTexts(let names):
      var list: [JSON] = []
      for text in try texts(value, place) {
        guard let found = names.first(where: { $0.name == text }) else {
          throw wrong(place, "a list of " + names.map { "'\($0.name)'" }.joined(separator: " or "))
        }
        list.append(.string(found.wire))
      }
      return .array(list)
    case .textsByName:
      guard let members = try table(value, place) else { return [:] }
      guard members.entries.allSatisfy({ $0.value.string != nil }) else {
        throw wrong(place, "a table of strings by name")
      }
      return value
    case .group(let inner), .whole(let inner):
      guard let values = try table(value, place) else { return [:] }
      return .object(try SettingsChange(values, of: inner, in: place).body)
    case .onlyItem(let field, let inner):
      guard let values = try table(value, place) else { return [] }
      return [[field: .object(try SettingsChange(values, of: inner, in: place).body)]]
    case .items(let inner):
      var list: [JSON] = []
      for (index, item) in try items(value, place).enumerated() {
        let place = "\(place)[\(index + 1)]"
        guard let values = try table(item, place) else { throw wrong(place, "a table") }
        list.append(.object(try SettingsChange(values, of: inner, in: place).body))
      }
      return .array(list)
    case .shown:
      throw AdminError(
        .invalidArgument, "\(place) cannot be changed", hint: "leave it out of the settings")
    }
  }

  /// False, because a Lua table cannot contain nil, or null.
  private static func isNothing(_ value: JSON) -> Bool { value.isNull || value.bool == false }

  /// Returns the members of a table; nil when it is to be cleared.
  private static func table(_ value: JSON, _ place: String) throws(AdminError) -> JSONObject? {
    if isNothing(value) { return nil }
    guard let object = value.object else { throw wrong(place, "a table, or false to clear it") }
    return object
  }

  private static func items(_ value: JSON, _ place: String) throws(AdminError) -> [JSON] {
    // An empty Lua table may be a list.
    if isNothing(value) || value.object?.count == 0 { return [] }
    guard let list = value.array else { throw wrong(place, "a list, or false to clear it") }
    return list
  }

  private static func texts(_ value: JSON, _ place: String) throws(AdminError) -> [String] {
    let list = try items(value, place)
    let texts = list.compactMap(\.string)
    guard texts.count == list.count else { throw wrong(place, "a list of strings") }
    return texts
  }

  private static func wrong(_ place: String, _ expected: String) -> AdminError {
    AdminError(.invalidArgument, "\(place) must be \(expected)")
  }
}

extension JSONObject {
  /// Merges a value into the object at a path.
  fileprivate mutating func merge(_ value: JSON, at path: [String]) {
    guard let first = path.first else { return }
    guard path.count > 1 else {
      if let old = self[first]?.object, let new = value.object {
        var both = old
        for (name, value) in new.entries { both.merge(value, at: [name]) }
        self[first] = .object(both)
      } else {
        self[first] = value
      }
      return
    }
    var inner = self[first]?.object ?? JSONObject()
    inner.merge(value, at: Array(path.dropFirst()))
    self[first] = .object(inner)
  }
}
