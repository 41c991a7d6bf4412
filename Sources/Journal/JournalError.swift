/// A failure to open, read or write a file of durable rows.
///
/// Messages name the file and what the database library says about its own structure, never a row:
/// rows hold accounts, tokens and password hashes.
public struct JournalError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for callers that decide by it.
  public enum Code: String, Sendable, CaseIterable {
    /// Another process, or another part of this one, has the file open.
    case inUse
    /// The file is something else, and was left as it was.
    case foreign
    /// A later version of luath wrote the file, which was left as it was.
    case newer
    /// The file's structure is broken.
    case damaged
    /// The directory is missing, or the path is not that of a plain file.
    case unusablePath
    /// The file or its directory may not be written.
    case readOnly
    /// The disk, or the space this process may use, is full.
    case full
    /// The file was moved or removed while it was in use.
    case moved
    /// The operating system could not read or write.
    case inputOutput
    /// The database library refused something that normally works.
    case internalFailure
  }

  /// The kind of failure.
  public let code: Code
  /// What happened, naming the file.
  public let message: String
  /// What the reader can do about it.
  public let hint: String

  init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message followed by the hint.
  public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
