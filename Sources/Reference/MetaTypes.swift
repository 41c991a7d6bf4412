import System

/// The types of definition files: each table of options is a class, and each function has its parameters.
struct MetaTypes {
  /// Classes in which scripts may set fields of their own.
  static let openClasses: Set = ["Journey"]
  /// Fields that are nil only where scripts do not read them, such as `ada.user` before the sign-in.
  ///
  /// If they were optional, editors would report almost every use.
  static let presentFields: [String: Set<String>] = [
    "Actor": ["password", "user"],
    "AuthDataResult": ["additionalUserInfo", "credential"],
    "Credential": ["accessToken", "idToken"],
    "MergeResult": ["additionalUserInfo", "credential"],
    "OIDCTokens": ["accessToken", "claims", "idToken"],
    "User": ["email", "multiFactor"],
  ]
  /// The type of a delegate in declarations, and the one that an editor can complete.
  private static let delegates = (
    "UIDelegate|function", "UIDelegate|fun(request: SignInRequest): string"
  )

  private let entries: [ReferenceEntry]

  init(_ pages: [ReferencePage]) { entries = pages.flatMap(\.entries) }

  /// The type of a parameter or of a result.
  func type(of value: ReferenceEntry.Value, in entry: ReferenceEntry) -> String {
    let type =
      tables(in: value.type).isEmpty
      ? value.type : classType(of: value, named: className(of: value, in: entry))
    guard type == "table", let same = described(elsewhere: value, in: entry) else {
      return Self.withDelegate(type)
    }
    return same
  }

  /// The type of a parameter inside the type of a function.
  ///
  /// Parentheses keep the results of one function apart from the next parameter of the other.
  func nestedType(of value: ReferenceEntry.Value, in entry: ReferenceEntry) -> String {
    let type = type(of: value, in: entry)
    return type.contains("fun(") ? "(\(type))" : type
  }

  /// The classes of the tables of options of a function, each with an empty line after it.
  func classes(of entry: ReferenceEntry) -> String {
    entry.parameters.map { classes(of: $0, named: className(of: $0, in: entry)) }.joined()
  }

  private func classes(of value: ReferenceEntry.Value, named name: String) -> String {
    guard !value.fields.isEmpty, !tables(in: value.type).isEmpty else { return "" }
    var inner = ""
    // With the base, EmmyLua's server reports other keys in a table; `(exact)` is about later assignments only.
    let keys = value.fields.map { "\"\($0.name)\"" }.joined(separator: "|")
    var text = "---@class \(name): table<\(keys), any>\n"
    for field in value.fields {
      let own = "\(name).\(field.name)"
      inner += classes(of: field, named: own)
      let type = field.fields.isEmpty ? field.type : classType(of: field, named: own)
      text += "---@field \(field.name)\(field.isOptional ? "?" : "") "
      text += "\(Self.withDelegate(type)) \(field.summary)".trimmed + "\n"
    }
    return inner + text + "\n"
  }

  private func className(of value: ReferenceEntry.Value, in entry: ReferenceEntry) -> String {
    // The call of a module itself has the module's name.
    let isModule = entry.owner.hasSuffix(".\(entry.name)")
    return (isModule ? entry.owner : "\(entry.owner).\(entry.name)") + ".\(value.name)"
  }

  /// The class of a parameter whose words refer to another function: "as of `actor.new`".
  private func described(
    elsewhere value: ReferenceEntry.Value, in entry: ReferenceEntry
  ) -> String? {
    guard let name = value.summary.firstMatch(of: /as of `([\w.:]+)`/)?.output.1 else { return nil }
    let other = entries.first { other in
      other.owner == entry.owner && other.name == name || other.shortName == name
        || other.writtenName == name
    }
    guard let other else { return nil }
    let parameters = other.parameters.filter { !$0.fields.isEmpty }
    // Where fields are required there, some of them are enough here.
    guard let parameter = parameters.first(where: { $0.name == value.name }) ?? parameters.first,
      parameter.fields.allSatisfy(\.isOptional)
    else { return nil }
    return className(of: parameter, in: other)
  }

  /// The type with the class in place of the table with these fields.
  private func classType(of value: ReferenceEntry.Value, named name: String) -> String {
    var type = value.type
    guard !value.fields.isEmpty else { return type }
    for range in tables(in: type).reversed() { type.replaceSubrange(range, with: name) }
    return type
  }

  /// The places of tables in a type: the fields in braces if there is one such list, otherwise `table` without
  /// arguments.
  private func tables(in type: String) -> [Range<String.Index>] {
    guard let start = type.firstIndex(of: "{"), let end = type.lastIndex(of: "}") else {
      return type.ranges(of: /\btable\b(?![<\w])/).map { $0 }
    }
    // The table of a function's parameter, and two tables beside each other, are left as they are.
    guard !type.contains("fun(") else { return [] }
    var depth = 0
    for at in type.indices[start...end] {
      if type[at] == "{" { depth += 1 }
      if type[at] == "}" { depth -= 1 }
      if depth == 0, at != end { return [] }
    }
    return [start..<type.index(after: end)]
  }

  private static func withDelegate(_ type: String) -> String {
    type.replacing(delegates.0, with: delegates.1)
  }
}
