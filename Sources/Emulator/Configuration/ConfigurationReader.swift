public import System

/// Reads one object of a configuration.
typealias ConfigurationReader = ObjectReader<ConfigurationError>

extension ConfigurationReader {
  func integerIfAny<T: FixedWidthInteger>(_ key: String, in range: ClosedRange<T>)
    throws(ConfigurationError) -> T?
  {
    // A number that `T` cannot have is out of range, too.
    guard let found: Int64 = try integerIfAny(key) else { return nil }
    guard let number = T(exactly: found), range.contains(number) else {
      throw fault(
        key, "must be from \(range.lowerBound) to \(range.upperBound), got \(found)")
    }
    return number
  }

  func fault(_ key: String, _ message: String, hint: String? = nil) -> ConfigurationError {
    ConfigurationError(path: path + [key], message: message, hint: hint)
  }
}

extension ConfigurationError: ObjectReaderError {
  /// Words a mistake in a table.
  public init(_ mistake: ObjectMistake, of key: String?, at path: [String]) {
    let path = path + (key.map { [$0] } ?? [])
    switch mistake {
    case .missing: self.init(path: path, message: "is missing")
    case .empty: self.init(path: path, message: "must not be empty")
    case .wrongType(let kind, let found):
      self.init(path: path, message: "expected \(kind.rawValue), got \(found.rawValue)")
    case .wrongItem(let kind, let found, let position):
      self.init(
        path: path + [String(position)],
        message: "expected \(kind.rawValue), got \(found.rawValue)")
    case .unknownName(let nearest, let known):
      self.init(
        path: path, message: "unknown key",
        hint: nearest.map { "did you mean \"\($0)\"?" }
          ?? "known keys: \(known.joined(separator: ", "))")
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
