/// A failure to open, read or write a file of durable rows.
///
/// Messages name the file and what the database library says about its own structure, never a row:
/// rows hold accounts, tokens and password hashes.
public struct JournalError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for callers that decide by it.
  public enum Code: String, Sendable, CaseIterable {
    /// Another process, or another part of this process, has the file open.
    case inUse
    /// The file is not one of luath's, and was not changed.
    case foreign
    /// A later version of luath wrote the file; it was not changed.
    case newer
    /// The file's structure is broken.
    case damaged
    /// The directory is missing, or the path is not a regular file.
    case unusablePath
    /// The file or its directory is not writable.
    case readOnly
    /// The disk or the quota is full.
    case full
    /// The file was moved or removed while it was in use.
    case moved
    /// The operating system reported an I/O error.
    case inputOutput
    /// The database library reported an unexpected error.
    case internalFailure
  }

  /// The kind of failure.
  public let code: Code
  /// What happened, with the file's name.
  public let message: String
  /// What the user can do about it.
  public let hint: String

  init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message followed by the hint.
  public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
