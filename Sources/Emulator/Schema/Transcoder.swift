internal import System
internal import IdentityToolkit

/// Converts a JSON body to a protocol buffer message, as the transcoder of Google's servers does.
///
/// Null counts as absent, a number as a string, one value as a list of one, and `"yes"` and 1 as
/// true. The result is what the operations expect: keys in camel case, numbers as strings where
/// strings belong, enumeration numbers as names.
struct Transcoder {
  /// The names that error messages use for the messages of a route.
  struct Naming: Sendable {
    /// The package of the messages: `v1`, `v2` or `admin.v2`.
    let package: String
    /// The field of the request that the body fills; empty if the body is the whole request.
    let root: String
    /// Whether unknown fields are refused.
    let refusesUnknown: Bool

    init(path: String, message: String) {
      let isAdmin = message.utf8.starts(with: "Admin".utf8)
      refusesUnknown = path.utf8.starts(with: "v2/".utf8)
      package = isAdmin ? "admin.v2" : refusesUnknown ? "v2" : "v1"
      root =
        switch message {
        case "AdminConfig": "config"
        case "AdminTenant": "tenant"
        case "AdminOAuthIdpConfig": "oauth_idp_config"
        case "AdminInboundSamlConfig": "inbound_saml_config"
        case "AdminDefaultSupportedIdpConfig": "default_supported_idp_config"
        default: ""
        }
    }
  }

  private let naming: Naming
  private let schema = Schema.shared
  private var faults: [TranscodingFault] = []

  private init(_ naming: Naming) {
    self.naming = naming
  }

  /// Reads the message in a body; refuses a body with faults and names them all.
  static func read(
    _ body: JSON, as message: Schema.Message, _ naming: Naming
  ) throws(Refusal) -> JSONObject {
    guard case .object(let object) = body else {
      throw TranscodingFault.refusal([.unknown("", at: "", "Root element must be a message.")])
    }
    var transcoder = Transcoder(naming)
    let read = transcoder.object(object, as: message, at: naming.root)
    guard transcoder.faults.isEmpty else { throw TranscodingFault.refusal(transcoder.faults) }
    return read
  }

  // MARK: Messages

  private mutating func object(
    _ object: JSONObject, as message: Schema.Message, at path: String
  ) -> JSONObject {
    var read = object
    var filledOneOfs: Set<String> = []
    for (key, value) in object.entries {
      let known = message.field(key)
      let name = known == nil ? CamelCase.name(key) : key
      if known == nil, name != key {
        read[key] = nil
        read[name] = value
      }
      guard let field = known ?? message.field(name) else {
        if naming.refusesUnknown { faults.append(.unknown(key, at: path, "Cannot find field.")) }
        continue
      }
      if value.isNull {
        read[name] = nil
        continue
      }
      if !field.oneOf.isEmpty, !filledOneOfs.insert(field.oneOf).inserted {
        faults.append(.twice(key, of: field.oneOf, at: path))
        continue
      }
      if Self.fits(value, field.kind) { continue }
      let inside = path.isEmpty ? field.protoName : "\(path).\(field.protoName)"
      if case .array = value, !field.kind.repeats {
        faults.append(
          .unknown(key, at: path, "Proto field is not repeating, cannot start list."))
        continue
      }
      read[name] = self.value(value, as: field.kind, at: inside)
    }
    return read
  }

  /// Whether the value needs neither check nor change, as is true for nearly every field of nearly every request.
  private static func fits(_ value: JSON, _ kind: Schema.Kind) -> Bool {
    switch (value, kind) {
    case (.string, .text), (.bool, .bool): true
    default: false
    }
  }

  // MARK: Values

  /// Converts a value to its type; nil for null and for a faulty value.
  private mutating func value(_ value: JSON, as kind: Schema.Kind, at path: String) -> JSON? {
    if value.isNull { return nil }
    switch kind {
    case .list(let element): return list(value, of: element, at: path)
    case .map(let element): return map(value, of: element, at: path)
    case .message(let name):
      guard case .object(let object) = value, let message = schema.message(name) else {
        return refuse(value, typeName(ofMessage: name), at: path)
      }
      return .object(self.object(object, as: message, at: path))
    case .object:
      guard case .object = value else {
        return refuse(value, "type.googleapis.com/google.protobuf.Struct", at: path)
      }
      return value
    case .text: return text(value, at: path)
    case .bytes: return bytes(value, at: path)
    case .bool:
      guard let flag = Self.bool(value) else { return refuse(value, "TYPE_BOOL", at: path) }
      return .bool(flag)
    case .int64:
      guard let number = Self.integer(value) else { return refuse(value, "TYPE_INT64", at: path) }
      return .string(String(number))
    case .integer:
      guard let number = Self.int32(value) else { return refuse(value, "TYPE_INT32", at: path) }
      return .integer(Int64(number))
    case .number:
      guard let number = Self.number(value) else { return refuse(value, "TYPE_DOUBLE", at: path) }
      return .number(number)
    case .choice(let choice):
      guard let name = Self.name(value, of: choice) else {
        return refuse(
          value, "type.googleapis.com/google.cloud.identitytoolkit.\(choice.type)", at: path)
      }
      return .string(name)
    }
  }

  private mutating func list(_ value: JSON, of element: Schema.Kind, at path: String) -> JSON {
    guard case .array(let items) = value else {
      return .array(self.value(value, as: element, at: "\(path)[0]").map { [$0] } ?? [])
    }
    guard items.contains(where: { !Self.fits($0, element) }) else { return value }
    var read: [JSON] = []
    for (index, item) in items.enumerated() {
      if let item = self.value(item, as: element, at: "\(path)[\(index)]") { read.append(item) }
    }
    return .array(read)
  }

  private mutating func map(_ value: JSON, of element: Schema.Kind, at path: String) -> JSON? {
    guard case .object(var object) = value else { return refuse(value, "map", at: path) }
    for (index, (key, item)) in object.entries.enumerated() where !Self.fits(item, element) {
      object[key] = self.value(item, as: element, at: "\(path)[\(index)].value")
    }
    return .object(object)
  }

  private mutating func text(_ value: JSON, at path: String) -> JSON? {
    switch value {
    case .string: value
    // Measured: a number counts as its digits.
    case .integer, .number: .string(value.encoded())
    default: refuse(value, "TYPE_STRING", at: path)
    }
  }

  private mutating func bytes(_ value: JSON, at path: String) -> JSON? {
    guard case .string(let text) = value else { return refuse(value, "TYPE_BYTES", at: path) }
    guard Base64.decodeAnyAlphabet(text) != nil else {
      faults.append(
        .value(
          "Base64 decoding failed for \(JSON.string(text).encoded())", "TYPE_BYTES", at: path))
      return nil
    }
    return value
  }

  private mutating func refuse(_ value: JSON, _ type: String, at path: String) -> JSON? {
    let shown =
      switch value {
      case .object, .array: "Starting an object on a scalar field"
      default: value.encoded()
      }
    faults.append(.value(shown, type, at: path))
    return nil
  }

  private func typeName(ofMessage name: String) -> String {
    let isAdmin = name.utf8.starts(with: "Admin".utf8)
    return "type.googleapis.com/google.cloud.identitytoolkit."
      + "\(isAdmin ? "admin.v2" : naming.package).\(isAdmin ? name.dropFirst(5) : name[...])"
  }

  // MARK: Conversions

  static func bool(_ value: JSON) -> Bool? {
    switch value {
    case .bool(let flag): flag
    case .string(let text):
      switch text.asciiLowercased {
      case "true", "t", "yes", "y", "1": true
      case "false", "f", "no", "n", "0": false
      default: nil
      }
    default: number(value).flatMap { $0 == 1 ? true : $0 == 0 ? false : nil }
    }
  }

  private static func number(_ value: JSON) -> Double? {
    if case .string(let text) = value { return Double(text).flatMap { $0.isFinite ? $0 : nil } }
    return value.number
  }

  /// A whole number, or a string of one.
  private static func integer(_ value: JSON) -> Int64? {
    if case .string(let text) = value, let number = Int64(text) { return number }
    return value.integer ?? number(value).flatMap { Int64(exactly: $0) }
  }

  static func int32(_ value: JSON) -> Int32? { integer(value).flatMap { Int32(exactly: $0) } }

  /// The name of a choice, given by name or position.
  private static func name(_ value: JSON, of choice: Schema.Choice) -> String? {
    if case .string(let text) = value, choice.names.contains(text) { return text }
    guard let position = integer(value), choice.names.indices.contains(Int(position)) else {
      return nil
    }
    return choice.names[Int(position)]
  }
}

/// One fault of a body, with the message of Google's transcoder.
struct TranscodingFault {
  /// The path of the field in the message, in snake case; nil for the whole message.
  private let field: String?
  private let description: String

  private init(field: String, description: String) {
    self.field = field.isEmpty ? nil : field
    self.description = description
  }

  /// A name that the message at the path does not have, or not in this form.
  static func unknown(_ name: String, at path: String, _ why: String) -> TranscodingFault {
    let place = path.isEmpty ? "" : " at '\(path)'"
    return TranscodingFault(
      field: path,
      description:
        "Invalid JSON payload received. Unknown name \(JSON.string(name).encoded())\(place): \(why)"
    )
  }

  /// A value that does not fit the field's type.
  static func value(_ shown: String, _ type: String, at path: String) -> TranscodingFault {
    TranscodingFault(field: path, description: "Invalid value at '\(path)' (\(type)), \(shown)")
  }

  /// A second field of the same `oneof` group.
  static func twice(_ name: String, of group: String, at path: String) -> TranscodingFault {
    let place = path.isEmpty ? "" : " at '\(path)'"
    return TranscodingFault(
      field: path,
      description:
        "Invalid value\(place) (oneof), oneof field '\(group)' is already set. Cannot set '\(name)'"
    )
  }

  static func refusal(_ faults: [TranscodingFault]) -> Refusal {
    let violations = faults.map { fault in
      var violation = JSONObject()
      violation.set("field", fault.field)
      violation["description"] = .string(fault.description)
      return JSON.object(violation)
    }
    return Refusal(
      message: faults.map(\.description).joined(separator: "\n"), status: 400, reason: "invalid",
      canonicalStatus: "INVALID_ARGUMENT",
      details: [
        [
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          "fieldViolations": .array(violations),
        ]
      ])
  }
}
