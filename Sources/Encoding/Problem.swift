/// Why something cannot be done, and what to do about it.
///
/// For failures that no caller tells apart; where one does, a type of its own has a code as well.
public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
  /// What happened, in lower case and without a full stop.
  public let message: String
  /// What the user can do about it.
  public let hint: String

  /// Describes what went wrong and what to do.
  public init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }

  /// The message followed by the hint.
  public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
