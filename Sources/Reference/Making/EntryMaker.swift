import Host
import Lua

/// Creates entries from declarations, comments, or both.
struct EntryMaker {
  let text: PageText

  /// The entry of a function of the host, from its declaration and the texts.
  func entry(_ declaration: Declaration, of owner: String, isMethod: Bool) -> ReferenceEntry {
    let name = declaration.current ?? declaration.name
    let comment =
      (isMethod ? text.method(name, of: owner) : text.member(name)) ?? DocComment()
    return ReferenceEntry(
      kind: isMethod ? .method : .function, owner: owner, name: declaration.name,
      signature: declaration.usage, summary: declaration.summary,
      text: declaration.current == nil ? Self.prose(comment) : "",
      parameters: declaration.parameters.map { parameter in
        Self.value(ReferenceEntry.Value(parameter), comment.parameters)
      },
      results: Self.results(comment, words: declaration.returns),
      errors: Self.errors(comment), overloads: comment.overloads, waits: declaration.waits,
      example: declaration.current == nil ? text.script(comment.body) : "",
      current: declaration.current)
  }

  /// The entry of a property of a host class.
  func entry(_ property: LuaClass.Property, of owner: String) -> ReferenceEntry {
    let tag = text.classes.first { $0.name == owner }?.comment.fields
      .first { $0.name == property.name }
    let type = tag.map(\.type).flatMap { $0 == "_" ? nil : $0 } ?? property.kind.annotation
    let whole = type + (property.optional ? "?" : "")
    return ReferenceEntry(
      kind: .property, owner: owner, name: property.name,
      signature: "\(property.name): \(whole)", summary: property.summary, text: tag?.words ?? "",
      results: [ReferenceEntry.Value("", whole)])
  }

  /// The entry of a function or field that has a comment but no declaration.
  func entry(_ comment: DocComment, of owner: String, object: String) -> ReferenceEntry? {
    switch comment.target {
    case .nothing: return nil
    case .field(_, let name):
      let type = comment.results.first?.type ?? "any"
      return ReferenceEntry(
        kind: .field, owner: owner, name: name, signature: "\(object).\(name): \(type)",
        summary: comment.summary, text: Self.prose(comment),
        results: Self.results(comment, words: ""), example: example(comment))
    case .function(_, let written, let isMethod, let arguments):
      // `__call` documents a call of the module itself.
      let name = written == "__call" ? object : written
      let parameters = Self.parameters(comment, arguments)
      // Without an object the function is a global.
      let start =
        object.isEmpty || written == "__call" ? name : "\(object)\(isMethod ? ":" : ".")\(name)"
      return ReferenceEntry(
        kind: isMethod ? .method : .function, owner: owner, name: name,
        signature: Self.signature(start, parameters),
        summary: comment.summary, text: Self.prose(comment), parameters: parameters,
        results: Self.results(comment, words: ""), errors: Self.errors(comment),
        overloads: comment.overloads, waits: comment.isAsync, example: example(comment))
    }
  }

  /// The entry of a field that is documented by `@field`.
  func field(_ tag: DocTag, of owner: String, signature: String) -> ReferenceEntry {
    let type = tag.type + (tag.isOptional ? "?" : "")
    return ReferenceEntry(
      kind: .field, owner: owner, name: tag.name, signature: "\(signature)\(tag.name): \(type)",
      summary: Self.sentence(tag.words), results: [ReferenceEntry.Value("", type)])
  }

  private func example(_ comment: DocComment) -> String {
    comment.body.isEmpty ? comment.code : text.script(comment.body)
  }

  // MARK: Parts

  /// The signature of a function, with optional parameters in brackets.
  static func signature(_ start: String, _ parameters: [ReferenceEntry.Value]) -> String {
    var words = ""
    for (index, parameter) in parameters.enumerated() {
      let comma = index == 0 ? "" : ", "
      words +=
        parameter.isOptional && parameter.name != "..."
        ? (index == 0 ? "" : " ") + "[\(comma)\(parameter.name)]" : comma + parameter.name
    }
    return "\(start)(\(words))"
  }

  private static func prose(_ comment: DocComment) -> String {
    comment.text
  }

  private static func results(_ comment: DocComment, words: String) -> [ReferenceEntry.Value] {
    comment.results.enumerated().map { index, tag in
      let isSaid = !tag.words.isEmpty || tag.type == words
      return ReferenceEntry.Value(
        tag.name, tag.type, isSaid || index > 0 ? tag.words : words)
    }
  }

  private static func errors(_ comment: DocComment) -> [ReferenceEntry.Value] {
    comment.errors.map { ReferenceEntry.Value($0.name, "string", $0.words) }
  }

  /// A parameter merged with its `@param` tags and those of its fields; the type `_` keeps the declared type.
  private static func value(
    _ value: ReferenceEntry.Value, _ tags: [DocTag], under path: String = ""
  ) -> ReferenceEntry.Value {
    let name = path + value.name
    let tag = tags.first { $0.name == name }
    let words = tag.map(\.words) ?? ""
    let type = tag.map(\.type) ?? "_"
    return ReferenceEntry.Value(
      value.name, type == "_" ? value.type : type, isOptional: value.isOptional,
      [words, value.summary, Texts.commonWords[value.name] ?? ""].first { !$0.isEmpty } ?? "",
      fields: value.fields.map { Self.value($0, tags, under: name + ".") })
  }

  /// The parameters of a function, described by the comment; without a tag a parameter has the type `any`.
  private static func parameters(
    _ comment: DocComment, _ arguments: [String]
  ) -> [ReferenceEntry.Value] {
    arguments.map { name in
      guard let tag = comment.parameters.first(where: { $0.name == name }) else {
        return ReferenceEntry.Value(name, "any", isOptional: name == "...")
      }
      let fields = comment.parameters.filter { $0.name.hasPrefix(name + ".") }.map { field in
        ReferenceEntry.Value(
          String(field.name.dropFirst(name.count + 1)), field.type, isOptional: field.isOptional,
          field.words)
      }
      return ReferenceEntry.Value(
        name, tag.type, isOptional: tag.isOptional, tag.words, fields: fields)
    }
  }

  /// Words as a sentence, with a capital letter and a full stop.
  static func sentence(_ words: String) -> String {
    guard let first = words.first else { return "" }
    return first.uppercased() + words.dropFirst() + (words.hasSuffix(".") ? "" : ".")
  }
}

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
