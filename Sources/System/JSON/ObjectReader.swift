/// Reads the members of a JSON object, and checks their names and types.
///
/// A member that is null counts as missing. `Failure` words what is wrong. What reads the rows of a batch is inlinable:
/// generic code that another module cannot specialize takes more than twice as long.
public struct ObjectReader<Failure: ObjectReaderError> {
  /// The members.
  public let object: JSONObject
  /// The names that lead to the object, outermost first.
  public let path: [String]

  /// Reads an object; if there are `names`, it must not have other members.
  @inlinable public init(
    _ object: JSONObject, at path: [String] = [], names: [String]? = nil
  ) throws(Failure) {
    self.object = object
    self.path = path
    guard let names else { return }
    for entry in object.entries
    where !names.contains(where: { ExactString($0) == ExactString(entry.key) }) {
      throw fault(
        .unknownName(nearest: nearestName(to: entry.key, among: names), known: names), entry.key)
    }
  }

  /// Reads a value that must be an object.
  public init(_ json: JSON, at path: [String] = [], names: [String]? = nil) throws(Failure) {
    guard let object = Failure.object(json) else {
      throw Failure(.wrongType(.object, found: json.kind), of: nil, at: path)
    }
    try self.init(object, at: path, names: names)
  }

  @usableFromInline func fault(_ mistake: ObjectMistake, _ name: String) -> Failure {
    Failure(mistake, of: name, at: path)
  }

  // MARK: Members that may be missing

  /// A value of any type.
  @inlinable public func value(_ name: String) -> JSON? {
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  /// A string that may be empty.
  @inlinable public func stringIfAny(_ name: String) throws(Failure) -> String? {
    try optional(name, .string, \.string)
  }

  /// A string that must not be empty.
  @inlinable public func textIfAny(_ name: String) throws(Failure) -> String? {
    guard let text = try stringIfAny(name) else { return nil }
    guard !text.isEmpty else { throw fault(.empty, name) }
    return text
  }

  /// A Boolean.
  @inlinable public func boolIfAny(_ name: String) throws(Failure) -> Bool? {
    try optional(name, .bool, \.bool)
  }

  /// An integer, or a number that equals one.
  @inlinable public func integerIfAny<T: FixedWidthInteger>(_ name: String) throws(Failure) -> T? {
    try optional(name, .integer) { $0.integer.flatMap { T(exactly: $0) } }
  }

  /// An integer or another number.
  public func numberIfAny(_ name: String) throws(Failure) -> Double? {
    try optional(name, .number, \.number)
  }

  /// An object.
  @inlinable public func objectIfAny(_ name: String) throws(Failure) -> JSONObject? {
    try optional(name, .object, Failure.object)
  }

  /// A reader of an object; if there are `names`, it must not have other members.
  public func readerIfAny(_ name: String, names: [String]? = nil) throws(Failure) -> Self? {
    guard let object = try objectIfAny(name) else { return nil }
    return try Self(object, at: path + [name], names: names)
  }

  /// A list of any values.
  public func listIfAny(_ name: String) throws(Failure) -> [JSON]? {
    try optional(name, .array, Failure.list)
  }

  /// A list of values of one type.
  public func listIfAny<T>(
    _ name: String, of kind: JSON.Kind, _ read: (JSON) -> T?
  ) throws(Failure) -> [T]? {
    guard let items = try listIfAny(name) else { return nil }
    var values: [T] = []
    values.reserveCapacity(items.count)
    for item in items {
      guard let value = read(item) else {
        throw fault(.wrongItem(kind, found: item.kind, position: values.count + 1), name)
      }
      values.append(value)
    }
    return values
  }

  /// A list of strings that must not be empty.
  public func textsIfAny(_ name: String) throws(Failure) -> [String]? {
    try listIfAny(name, of: .string) { $0.string.flatMap { $0.isEmpty ? nil : $0 } }
  }

  @inlinable func optional<T>(
    _ name: String, _ kind: JSON.Kind, _ read: (JSON) -> T?
  ) throws(Failure) -> T? {
    guard let json = value(name) else { return nil }
    guard let value = read(json) else {
      throw fault(.wrongType(kind, found: json.kind), name)
    }
    return value
  }

  // MARK: Required members

  /// The value of a member; throws that the member is missing if it is nil.
  @inlinable public func required<T>(_ name: String, _ value: T?) throws(Failure) -> T {
    guard let value else { throw fault(.missing, name) }
    return value
  }

  /// A string that may be empty.
  @inlinable public func string(_ name: String) throws(Failure) -> String {
    try required(name, stringIfAny(name))
  }

  /// A string that must not be empty.
  @inlinable public func text(_ name: String) throws(Failure) -> String {
    try required(name, textIfAny(name))
  }

  /// A Boolean.
  @inlinable public func bool(_ name: String) throws(Failure) -> Bool {
    try required(name, boolIfAny(name))
  }

  /// An integer, or a number that equals one.
  @inlinable public func integer<T: FixedWidthInteger>(_ name: String) throws(Failure) -> T {
    try required(name, integerIfAny(name))
  }

  /// An integer or another number.
  public func number(_ name: String) throws(Failure) -> Double {
    try required(name, numberIfAny(name))
  }

  /// An object.
  @inlinable public func object(_ name: String) throws(Failure) -> JSONObject {
    try required(name, objectIfAny(name))
  }

  /// A reader of an object.
  public func reader(_ name: String) throws(Failure) -> Self {
    try required(name, readerIfAny(name))
  }
}

/// An error that words the mistakes which an `ObjectReader` finds.
public protocol ObjectReaderError: Error {
  /// Describes a mistake of a member; of the object itself if `name` is nil.
  init(_ mistake: ObjectMistake, of name: String?, at path: [String])

  /// The members if this is accepted as an object; by default also an empty list, as Lua has only one empty table.
  static func object(_ json: JSON) -> JSONObject?

  /// The elements if this is accepted as a list; by default also those of an empty object.
  static func list(_ json: JSON) -> [JSON]?
}

extension ObjectReaderError {
  /// The members of an object, or none for an empty list.
  public static func object(_ json: JSON) -> JSONObject? {
    json.object ?? (json.array?.isEmpty == true ? JSONObject() : nil)
  }

  /// The elements of a list, or none for an empty object.
  public static func list(_ json: JSON) -> [JSON]? {
    json.array ?? (json.object?.isEmpty == true ? [] : nil)
  }
}

/// What is wrong with an object; it quotes no value, because that may be a secret.
public enum ObjectMistake: Sendable {
  case missing
  case empty
  case wrongType(JSON.Kind, found: JSON.Kind)
  /// An item of a list, with its position from 1.
  case wrongItem(JSON.Kind, found: JSON.Kind, position: Int)
  /// There is no such member; `nearest` is the one of the known names to suggest.
  case unknownName(nearest: String?, known: [String])
}

extension JSON {
  /// The type of a value; the raw value is how a message calls it.
  public enum Kind: String, Sendable {
    case null
    case bool = "a boolean"
    case integer = "a whole number"
    case number = "a number"
    case string = "a string"
    case array = "a list"
    case object = "a table"
  }

  /// The type of the value; `number` also for an integer.
  @usableFromInline var kind: Kind {
    switch self {
    case .null: .null
    case .bool: .bool
    case .integer, .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }
}
