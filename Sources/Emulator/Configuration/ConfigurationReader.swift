internal import System

/// Reads one object of a configuration; checks the types of its values and refuses unknown keys.
struct ConfigurationReader {
  let object: JSONObject
  let path: [String]

  init(_ json: JSON, at path: [String], known: [String]) throws(ConfigurationError) {
    self.path = path
    switch json {
    case .object(let object): self.object = object
    // An empty Lua table may arrive as either kind.
    case .array(let items) where items.isEmpty: object = JSONObject()
    default: throw ConfigurationError(path: path, message: "expected a table, got \(json.kindName)")
    }
    for key in object.keys where !known.contains(where: { $0.utf8.elementsEqual(key.utf8) }) {
      let near = nearestName(to: key, among: known)
      throw ConfigurationError(
        path: path + [key], message: "unknown key",
        hint: near.map { "did you mean \"\($0)\"?" }
          ?? "known keys: \(known.joined(separator: ", "))")
    }
  }

  /// The value under `key`; null counts as absent.
  func value(_ key: String) -> JSON? {
    guard let value = object[key], value != .null else { return nil }
    return value
  }

  func string(_ key: String) throws(ConfigurationError) -> String? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value else { throw wrongType(key, value, expected: "a string") }
    guard !text.isEmpty else {
      throw ConfigurationError(path: path + [key], message: "must not be empty")
    }
    return text
  }

  func requiredString(_ key: String) throws(ConfigurationError) -> String {
    guard let text = try string(key) else {
      throw ConfigurationError(path: path + [key], message: "is missing")
    }
    return text
  }

  func bool(_ key: String) throws(ConfigurationError) -> Bool? {
    guard let value = value(key) else { return nil }
    guard case .bool(let flag) = value else { throw wrongType(key, value, expected: "a boolean") }
    return flag
  }

  func integer(_ key: String, in range: ClosedRange<Int64>) throws(ConfigurationError) -> Int64? {
    guard let value = value(key) else { return nil }
    guard let number = value.integer else {
      throw wrongType(key, value, expected: "a whole number")
    }
    guard range.contains(number) else {
      throw ConfigurationError(
        path: path + [key],
        message: "must be from \(range.lowerBound) to \(range.upperBound), got \(number)")
    }
    return number
  }

  func strings(_ key: String) throws(ConfigurationError) -> [String]? {
    guard let items = try array(key) else { return nil }
    var texts: [String] = []
    for (position, item) in items.enumerated() {
      guard case .string(let text) = item, !text.isEmpty else {
        throw ConfigurationError(
          path: path + [key, String(position + 1)],
          message: "expected a string, got \(item.kindName)")
      }
      texts.append(text)
    }
    return texts
  }

  func array(_ key: String) throws(ConfigurationError) -> [JSON]? {
    guard let value = value(key) else { return nil }
    switch value {
    case .array(let items): return items
    case .object(let object) where object.count == 0: return []
    default: throw wrongType(key, value, expected: "a list")
    }
  }

  private func wrongType(_ key: String, _ value: JSON, expected: String) -> ConfigurationError {
    ConfigurationError(path: path + [key], message: "expected \(expected), got \(value.kindName)")
  }
}

extension JSON {
  /// The name of this kind of value in error messages.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "a table"
    }
  }
}

/// A mistake in a project configuration, and its place.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The keys that lead to the mistake, outermost first; list positions start at 1, as in Lua.
  public let path: [String]
  /// What is wrong there.
  public let message: String
  /// How to correct it, if known.
  public let hint: String?

  /// A mistake at `path`.
  public init(path: [String], message: String, hint: String? = nil) {
    self.path = path
    self.message = message
    self.hint = hint
  }

  /// The path and the message in one line.
  public var description: String {
    let place = path.joined(separator: ".")
    let text = place.isEmpty ? message : "\(place): \(message)"
    return hint.map { "\(text); \($0)" } ?? text
  }
}
