/// An error with a hint.
///
/// For failures that callers need not distinguish; otherwise use an error type with codes.
public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
  /// What happened, in lower case and without a period.
  public let message: String
  /// What the user can do about it.
  public let hint: String

  /// Creates an error from what happened and what to do.
  public init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }

  /// The message followed by the hint.
  public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
