/// A function, method, property or field in the reference.
public struct ReferenceEntry: Sendable {
  /// The kind of entry.
  public enum Kind: String, Sendable {
    case function, method, property, field
  }

  /// A parameter, a field of an options table, or a result.
  public struct Value: Sendable {
    /// The name; empty for a result without one.
    public let name: String
    /// The type in LuaLS's notation: `string`, `integer?`, `AuthCredential[]`, `"GET"|"POST"`.
    public let type: String
    let isOptional: Bool
    /// The meaning, with the unit.
    let summary: String
    /// The fields of an options table.
    public let fields: [Value]

    init(
      _ name: String, _ type: String, isOptional: Bool = false, _ summary: String = "",
      fields: [Value] = []
    ) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
      self.summary = summary
      self.fields = fields
    }
  }

  /// The kind of entry.
  public let kind: Kind
  /// The module or class that contains it: `luath.json`, `Auth`.
  public let owner: String
  /// The name within the owner: `encode`, `signIn`.
  public let name: String
  /// The form of a call, `auth:signIn(credential [, delegate])`; for a property its name and type.
  public let signature: String
  /// One sentence about it.
  let summary: String
  /// Further text; may be empty.
  let text: String
  /// The parameters, without the object of a method.
  public let parameters: [Value]
  /// The results.
  public let results: [Value]
  /// The codes of the errors it raises, with their conditions; without those that every call may raise.
  let errors: [Value]
  /// Other forms of a call, as function types in LuaLS's notation.
  let overloads: [String]
  /// Whether it waits, so that other tasks run meanwhile.
  let waits: Bool
  /// A complete example script.
  let example: String
  /// The current name, if this is an older spelling.
  public let current: String?

  init(
    kind: Kind, owner: String, name: String, signature: String, summary: String, text: String = "",
    parameters: [Value] = [], results: [Value] = [], errors: [Value] = [],
    overloads: [String] = [], waits: Bool = false,
    example: String = "", current: String? = nil
  ) {
    self.kind = kind
    self.owner = owner
    self.name = name
    self.signature = signature
    self.summary = summary
    self.text = text
    self.parameters = parameters
    self.results = results
    self.errors = errors
    self.overloads = overloads
    self.waits = waits
    self.example = example
    self.current = current
  }

  /// The name with that of the owner: `luath.json.encode`, `Auth:signIn`.
  public var fullName: String { owner + (kind == .method ? ":" : ".") + name }

  /// The name with the last part of the owner's: `json.encode`.
  var shortName: String {
    let word = owner.split(separator: ".").last.map(String.init) ?? owner
    return word + (kind == .method ? ":" : ".") + name
  }

  /// The name as written in the signature and in listings: `auth:signIn`, `expect:above`.
  public var writtenName: String {
    var name = ""
    var depth = 0
    for character in signature {
      if character == ")" { depth -= 1 }
      if character == "(" { depth += 1 }
      // `auth.currentUser: User`
      if depth == 0, character == " " { break }
      if depth == 0, character != ")" { name.append(character) }
    }
    return name.hasSuffix(":") ? String(name.dropLast()) : name
  }

  /// The last part of the name: `credential` in `GoogleAuthProvider.credential`.
  public var lastWord: String { name.split(separator: ".").last.map(String.init) ?? name }
}

/// The page of a module or class.
public struct ReferencePage: Sendable {
  /// The kind of page.
  public enum Subject: String, Sendable {
    case module, `class`
  }

  /// The kind of page.
  public let subject: Subject
  /// The name that scripts require (`luath.json`), or a class's name in `tostring` and errors (`Auth`).
  public let name: String
  /// The purpose, in one sentence.
  public let summary: String
  /// Further text; may be empty.
  let text: String
  /// The members.
  public let entries: [ReferenceEntry]

  init(
    _ subject: Subject, _ name: String, _ summary: String, text: String = "",
    entries: [ReferenceEntry]
  ) {
    self.subject = subject
    self.name = name
    self.summary = summary
    self.text = text
    self.entries = entries
  }
}
