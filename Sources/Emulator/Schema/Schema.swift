internal import System
internal import IdentityToolkit

/// The types of request messages, read once from `MessageTable`.
struct Schema: Sendable {
  indirect enum Kind: Sendable {
    case text, bytes, int64, bool, integer, number, object
    case message(String)
    case choice(Choice)
    case list(Kind)
    case map(Kind)

    /// Whether protocol buffers count the field as repeated, so that it may be a list.
    var repeats: Bool {
      switch self {
      case .list, .map: true
      default: false
      }
    }
  }

  /// An enumeration.
  struct Choice: Sendable {
    /// The name in Google's API, without `google.cloud.identitytoolkit`.
    let type: String
    /// The values; the index of each is its number.
    var names: [String] = []
  }

  struct Field: Sendable {
    let name: String
    let kind: Kind
    /// The name in Google's protocol buffers, which error messages show.
    let protoName: String
    /// The `oneof` group of the field; empty if there is none.
    let oneOf: String

    /// Reads `name`, `name:TYPE`, `name/proto_name:TYPE` or `name|group:TYPE`.
    fileprivate init(_ word: Substring, kind: (Substring) -> Kind) {
      let head = word.prefix { $0 != ":" }
      self.kind = kind(word[head.endIndex...].dropFirst())
      let name = head.prefix { $0 != "/" && $0 != "|" }
      let rest = head[name.endIndex...].dropFirst()
      self.name = String(name)
      let isOneOf = head.utf8.contains(UInt8(ascii: "|"))
      oneOf = isOneOf ? String(rest) : ""
      protoName = isOneOf || rest.isEmpty ? Schema.snakeCase(name) : String(rest)
    }
  }

  /// A request message: its fields in the order in which faults are reported.
  struct Message: Sendable {
    let fields: [Field]
    fileprivate let positions: [ExactString: Int]

    init(fields: [Field]) {
      self.fields = fields
      positions = Dictionary(
        fields.enumerated().map { (ExactString(string: $1.name), $0) }, uniquingKeysWith: { $1 })
    }

    func field(_ name: String) -> Field? {
      positions[ExactString(string: name)].map { fields[$0] }
    }

    func kind(of name: String) -> Kind? { field(name)?.kind }
  }

  /// The parsed table, which all emulators share.
  static let shared = Schema(MessageTable.text)

  let messages: [String: Message]

  private init(_ text: String) {
    var choices: [String: Choice] = [:]
    var fields: [String: [Substring]] = [:]
    var current = ""
    for line in text[...].parts(at: "\n") {
      var words = line.parts(at: " ")
      if line.utf8.first != UInt8(ascii: " ") {
        if words.count > 1, words[1] == "=" {
          let name = words[0].prefix { $0 != "(" }
          current = String(name)
          choices[current] = Choice(type: String(words[0][name.endIndex...].dropFirst().dropLast()))
          words.removeFirst(2)
        } else {
          current = String(words[0].dropLast())
          fields[current] = []
          words.removeFirst()
        }
      }
      if choices[current] != nil {
        choices[current]?.names.append(contentsOf: words.map(String.init))
      } else {
        fields[current]?.append(contentsOf: words)
      }
    }
    func kind(_ name: Substring) -> Kind {
      switch name {
      case "": return .text
      case "bytes": return .bytes
      case "int64": return .int64
      case "bool": return .bool
      case "int": return .integer
      case "number": return .number
      case "object": return .object
      default: break
      }
      let inner = name.dropFirst().dropLast()
      if name.utf8.first == UInt8(ascii: "[") { return .list(kind(inner)) }
      if name.utf8.first == UInt8(ascii: "{") { return .map(kind(inner)) }
      return choices[String(name)].map { .choice($0) } ?? .message(String(name))
    }
    messages = fields.mapValues { words in
      Message(fields: words.map { Field($0, kind: kind) })
    }
  }

  func message(_ name: String) -> Message? { messages[name] }

  /// The name of a field in `.proto` files: `maxResults` becomes `max_results`.
  static func snakeCase(_ name: some StringProtocol) -> String {
    var text = ""
    for letter in name.unicodeScalars {
      if ("A"..."Z").contains(letter) {
        text += "_"
        text.unicodeScalars.append(
          letter.properties.lowercaseMapping.unicodeScalars.first ?? letter)
      } else {
        text.unicodeScalars.append(letter)
      }
    }
    return text
  }
}

/// Why a value does not fit its type: where, as a JSON pointer (RFC 6901), and what was expected.
struct SchemaFault: Error {
  let pointer: String
  let expected: String

  var refusal: Refusal {
    .invalidArgument("Invalid JSON payload received. \(pointer) \(expected)")
  }

  static func mustBe(_ type: String, at pointer: String) -> SchemaFault {
    SchemaFault(pointer: pointer, expected: "must be \(type)")
  }

  static func mustMatch(_ format: String, at pointer: String) -> SchemaFault {
    SchemaFault(pointer: pointer, expected: "must match format \"\(format)\"")
  }
}

extension Schema {
  /// The body as the operations expect it: keys in camel case, numbers as strings where
  /// strings belong, enumeration numbers as names.
  ///
  /// Throws the first fault in the order of the message's fields. With `isProtobuf`, as for project files, null
  /// counts as absent, the keys of maps are kept, and a number is not accepted as a string. Without it, as in
  /// Firebase's emulator, it is the other way round.
  func check(
    _ body: JSON, as message: Message, isProtobuf: Bool
  ) throws(SchemaFault) -> JSONObject {
    guard case .object(let object) = body else { throw .mustBe("object", at: "") }
    let check = Check(schema: self, isProtobuf: isProtobuf)
    return try check.object(
      isProtobuf ? object : CamelCase.keys(of: object), as: message, at: "")
  }

  private struct Check {
    let schema: Schema
    let isProtobuf: Bool

    func object(
      _ object: JSONObject, as message: Message, at pointer: String
    ) throws(SchemaFault) -> JSONObject {
      let object = isProtobuf ? CamelCase.ownKeys(of: object) : object
      var checked = object
      for (name, value) in object.entries {
        guard let kind = message.kind(of: name) else { continue }
        if isProtobuf, value.isNull {
          checked[name] = nil
          continue
        }
        if Self.fits(value, kind) { continue }
        do throws(SchemaFault) {
          checked[name] = try self.value(value, as: kind, at: "\(pointer)/\(name)")
        } catch {
          throw firstFault(of: object, as: message, at: pointer) ?? error
        }
      }
      return checked
    }

    /// Whether the value needs neither check nor change, as is true for nearly every field of nearly every request.
    private static func fits(_ value: JSON, _ kind: Kind) -> Bool {
      switch (value, kind) {
      case (.string, .text), (.string, .int64), (.bool, .bool): true
      default: false
      }
    }

    /// The fault of the field that comes first in the message, whatever the order of the body.
    private func firstFault(
      of object: JSONObject, as message: Message, at pointer: String
    ) -> SchemaFault? {
      for field in message.fields {
        guard let value = object[field.name], !(isProtobuf && value.isNull) else { continue }
        do throws(SchemaFault) {
          _ = try self.value(value, as: field.kind, at: "\(pointer)/\(field.name)")
        } catch {
          return error
        }
      }
      return nil
    }

    private func value(
      _ value: JSON, as kind: Kind, at pointer: String
    ) throws(SchemaFault) -> JSON {
      switch kind {
      case .text, .bytes:
        if isProtobuf, value.string == nil { throw .mustBe("string", at: pointer) }
        return .string(try text(value, at: pointer))
      case .int64:
        if !isProtobuf, let number = value.number, number.rounded() != number {
          throw .mustMatch("int64", at: pointer)
        }
        return .string(try text(value, at: pointer))
      case .bool:
        guard case .bool = value else { throw .mustBe("boolean", at: pointer) }
        return value
      case .integer:
        if !isProtobuf, let number = value.number, number.rounded() == number,
          Int32(exactly: number) == nil
        {
          throw .mustMatch("int32", at: pointer)
        }
        guard let number = value.integer else { throw .mustBe("integer", at: pointer) }
        return .integer(number)
      case .number:
        guard value.number?.isFinite == true else { throw .mustBe("number", at: pointer) }
        return value
      case .object:
        guard case .object = value else { throw .mustBe("object", at: pointer) }
        return value
      case .message(let name):
        guard case .object(let object) = value else { throw .mustBe("object", at: pointer) }
        guard let message = schema.message(name) else { return value }
        return .object(try self.object(object, as: message, at: pointer))
      case .choice(let choice):
        return .string(try name(value, of: choice.names, at: pointer))
      case .list(let element):
        guard case .array(var items) = value else { throw .mustBe("array", at: pointer) }
        for index in items.indices where !Self.fits(items[index], element) {
          items[index] = try self.value(items[index], as: element, at: "\(pointer)/\(index)")
        }
        return .array(items)
      case .map(let element):
        guard case .object(var object) = value else { throw .mustBe("object", at: pointer) }
        for (key, item) in object.entries where !Self.fits(item, element) {
          object[key] = try self.value(item, as: element, at: "\(pointer)/\(Self.escaped(key))")
        }
        return .object(object)
      }
    }

    /// A string, or the decimal form of a number, since JSON may have 64-bit fields as either.
    private func text(_ value: JSON, at pointer: String) throws(SchemaFault) -> String {
      switch value {
      case .string(let text): return text
      case .integer, .number:
        // Firebase's emulator writes numbers as JavaScript does, where all are doubles.
        return isProtobuf ? value.encoded() : ScriptValue.text(value.number ?? 0)
      default: throw .mustBe("string", at: pointer)
      }
    }

    private func name(
      _ value: JSON, of names: [String], at pointer: String
    ) throws(SchemaFault) -> String {
      let text = try text(value, at: pointer)
      if names.contains(text) { return text }
      guard let position = Int(text), names.indices.contains(position), String(position) == text
      else {
        throw SchemaFault(
          pointer: pointer, expected: "must be equal to one of the allowed values")
      }
      return names[position]
    }

    /// RFC 6901 section 3.
    private static func escaped(_ key: String) -> String {
      var escaped = ""
      for character in key.unicodeScalars {
        switch character {
        case "~": escaped += "~0"
        case "/": escaped += "~1"
        default: escaped.unicodeScalars.append(character)
        }
      }
      return escaped
    }
  }
}
