internal import System
internal import IdentityToolkit

/// The JSON body of a request with its keys in camel case: null counts as absent, and a wrong type is a 400.
struct Fields: Sendable {
  let object: JSONObject

  init(_ object: JSONObject = JSONObject()) {
    self.object = object
  }

  func value(_ key: String) -> JSON? {
    guard let value = object[key], !value.isNull else { return nil }
    return value
  }

  /// The string under `key` of a body whose types are already checked; an empty one counts as absent.
  func text(_ key: String) -> String? {
    guard case .string(let text)? = object[key], !text.isEmpty else { return nil }
    return text
  }

  func has(_ key: String) -> Bool { value(key) != nil }

  func string(_ key: String) throws(Refusal) -> String? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value else { throw .wrongType(key, "string") }
    return text
  }

  /// The maximum length in bytes of a string that is stored and sent back later.
  static let echoLimit = 16 << 10

  /// A string that is stored and sent back later; the limits of Google's servers are not known.
  func echo(_ key: String) throws(Refusal) -> String? {
    let text = try string(key)
    guard text?.utf8.count ?? 0 <= Self.echoLimit else {
      throw .invalidArgument("\(key) is longer than \(Self.echoLimit) bytes")
    }
    return text
  }

  func bool(_ key: String) throws(Refusal) -> Bool? {
    guard let value = value(key) else { return nil }
    guard case .bool(let flag) = value else { throw .wrongType(key, "boolean") }
    return flag
  }

  /// A whole number; protocol buffer JSON writes 64-bit numbers as strings.
  func integer(_ key: String) throws(Refusal) -> Int64? {
    guard let value = value(key) else { return nil }
    if case .string(let text) = value, let number = Int64(text) { return number }
    guard let number = value.integer else { throw .wrongType(key, "integer") }
    return number
  }

  func object(_ key: String) throws(Refusal) -> JSONObject? {
    guard let value = value(key) else { return nil }
    guard case .object(let object) = value else { throw .wrongType(key, "object") }
    return object
  }

  func strings(_ key: String) throws(Refusal) -> [String]? {
    guard let value = value(key) else { return nil }
    guard case .array(let items) = value else { throw .wrongType(key, "array") }
    var texts: [String] = []
    for (index, item) in items.enumerated() {
      guard case .string(let text) = item else { throw .wrongType("\(key)/\(index)", "string") }
      texts.append(text)
    }
    return texts
  }
}
