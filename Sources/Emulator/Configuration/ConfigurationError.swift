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
