import CShims

/// One argument of a host function, or one field of an options table.
public struct LuaParameter {
  /// The kind of value that a parameter accepts.
  public indirect enum Kind {
    case any
    case boolean
    case integer
    case number
    /// Text in UTF-8.
    case string
    /// Text in UTF-8 that is masked in output: a password, a code, a token.
    case secret
    /// A string of any bytes.
    case bytes
    case table
    case function
    case object(LuaClass)
    /// A table whose items 1…n are all of one kind.
    case list(Kind)
    /// A table from strings to values of one kind.
    case map(Kind)
    /// A table with only these fields.
    case options([LuaParameter])
    case either([Kind])
  }

  /// Its name.
  public let name: String
  /// What it accepts.
  public let kind: Kind
  /// Whether it may be nil or missing.
  public let optional: Bool
  /// One sentence about it.
  public let summary: String

  /// Creates a parameter.
  public init(_ name: String, _ kind: Kind, optional: Bool = false, _ summary: String = "") {
    self.name = name
    self.kind = kind
    self.optional = optional
    self.summary = summary
  }
}

extension LuaParameter.Kind {
  /// The kind in words: `list of strings`.
  var words: String {
    switch self {
    case .any: "a value"
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string, .secret, .bytes: "string"
    case .table: "table"
    case .function: "function"
    case .object(let type): type.name
    case .list(.options): "list of tables of options"
    case .list(let item): "list of \(item.words)s"
    case .map(let item): "table of \(item.words)s by name"
    case .options: "table of options"
    case .either(let kinds): kinds.map(\.words).joined(separator: " or ")
    }
  }

  var mask: UInt32 {
    switch self {
    case .any: LUATH_ANY.rawValue
    case .boolean: LUATH_BOOLEAN.rawValue
    case .integer: LUATH_INTEGER.rawValue
    case .number: LUATH_NUMBER.rawValue
    case .string, .secret: LUATH_STRING.rawValue
    case .bytes: LUATH_BYTES.rawValue
    case .table: LUATH_TABLE.rawValue
    case .function: LUATH_FUNCTION.rawValue
    case .object: LUATH_OBJECT.rawValue
    case .list: LUATH_LIST.rawValue
    case .map: LUATH_MAP.rawValue
    case .options: LUATH_OPTIONS.rawValue
    case .either(let kinds): kinds.reduce(0) { $0 | $1.mask }
    }
  }

  /// The classes whose instances it accepts.
  public var classes: [LuaClass] {
    switch self {
    case .object(let type): [type]
    case .either(let kinds): kinds.flatMap(\.classes)
    default: []
    }
  }

  var item: LuaParameter.Kind? {
    switch self {
    case .list(let item), .map(let item): item
    case .either(let kinds): kinds.lazy.compactMap(\.item).first
    default: nil
    }
  }

  var fields: [LuaParameter] {
    switch self {
    case .options(let fields): fields
    case .either(let kinds): kinds.flatMap(\.fields)
    default: []
    }
  }
}

/// The standard input that scripts read with `io.read`, which buffers.
public enum LuaInput {
  /// Removes the next byte from the buffer of `io.read`; nil when the buffer is empty.
  public static func takeAhead() -> UInt8? {
    let byte = luath_input_ahead()
    return byte < 0 ? nil : UInt8(truncatingIfNeeded: byte)
  }
}
