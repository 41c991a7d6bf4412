/// One thing that scripts can use, as all references and helps show it.
public struct ReferenceEntry: Sendable {
  /// What it is.
  public enum Kind: String, Sendable {
    case function, method, property, field
  }

  /// An argument, a field of a table of options, or a result.
  public struct Value: Sendable {
    /// Its name; empty for a result without one.
    public let name: String
    /// Its type as LuaLS writes types: `string`, `integer?`, `AuthCredential[]`, `"GET"|"POST"`.
    public let type: String
    /// Whether it may be left out.
    public let isOptional: Bool
    /// What it means, with its unit.
    public let summary: String
    /// The fields, when it is a table of options.
    public let fields: [Value]

    /// Describes an argument, a field or a result.
    public init(
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

  /// What it is.
  public let kind: Kind
  /// The module or class that has it: `luath.json`, `Auth`.
  public let owner: String
  /// Its name there: `encode`, `signIn`.
  public let name: String
  /// How to call it: `auth:signIn(credential [, delegate])`; for a property its name and type.
  public let signature: String
  /// What it does, in one sentence.
  public let summary: String
  /// More about it; empty when the summary says all.
  public let text: String
  /// Its arguments, without the object of a method.
  public let parameters: [Value]
  /// What it gives back.
  public let results: [Value]
  /// The codes of errors it raises, with when; the general ones of all calls are left out.
  public let errors: [Value]
  /// Whether it waits, and lets other tasks go on meanwhile.
  public let waits: Bool
  /// A script that shows it and runs as it is.
  public let example: String
  /// The name that is written today, when this is an older spelling of it.
  public let current: String?

  /// Describes a function, method or property.
  public init(
    kind: Kind, owner: String, name: String, signature: String, summary: String, text: String = "",
    parameters: [Value] = [], results: [Value] = [], errors: [Value] = [], waits: Bool = false,
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
    self.waits = waits
    self.example = example
    self.current = current
  }

  /// Its name with that of its owner: `luath.json.encode`, `Auth:signIn`.
  public var fullName: String { owner + (kind == .method ? ":" : ".") + name }

  /// Its name with the last word of its owner: `json.encode`.
  public var shortName: String {
    let word = owner.split(separator: ".").last.map(String.init) ?? owner
    return word + (kind == .method ? ":" : ".") + name
  }

  /// Its name as its signature writes it, which is how listings show it: `auth:signIn`, `expect:above`.
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

  /// The last word of its name: `credential` of `GoogleAuthProvider.credential`.
  public var lastWord: String { name.split(separator: ".").last.map(String.init) ?? name }
}
