internal import Journal

/// Why a state file could not be read or written; names the file, never what is in it.
public struct StateError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What happened.
  public let message: String
  /// What the reader can do about it.
  public let hint: String

  init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }

  init(_ error: JournalError) {
    self.init(error.message, hint: error.hint)
  }

  /// The message and the hint.
  public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
