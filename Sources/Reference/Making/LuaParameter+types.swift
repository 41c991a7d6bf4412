import Lua

extension LuaParameter.Kind {
  /// The type in LuaLS's notation: `string`, `Credential|OAuthProvider`, `{ timeout?: number }`.
  var annotation: String {
    switch self {
    case .any: "any"
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string, .secret, .bytes: "string"
    case .table: "table"
    case .function: "function"
    case .object(let type): type.name
    case .list(let item):
      item.annotation.contains("|") ? "(\(item.annotation))[]" : item.annotation + "[]"
    case .map(let item): "table<string, \(item.annotation)>"
    case .options(let fields):
      "{ "
        + fields.map { "\($0.name)\($0.optional ? "?" : ""): \($0.kind.annotation)" }
        .joined(separator: ", ") + " }"
    case .either(let kinds): kinds.map(\.annotation).joined(separator: "|")
    }
  }

  /// The fields of the options table that it accepts, alone or as one of several kinds.
  var described: [LuaParameter] {
    switch self {
    case .options(let fields): fields
    case .list(let item): item.described
    case .either(let kinds): kinds.flatMap(\.described)
    default: []
    }
  }
}

extension ReferenceEntry.Value {
  init(_ parameter: LuaParameter) {
    self.init(
      parameter.name, parameter.kind.annotation, isOptional: parameter.optional, parameter.summary,
      fields: parameter.kind.described.map(ReferenceEntry.Value.init))
  }
}
