import Glibc

/// Why an export folder could not be read or written; messages name files, never their contents.
public struct ExportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure.
  enum Code: String, Sendable, CaseIterable {
    /// The folder does not exist, or its parent folder does not.
    case missing
    /// The folder contains something else, and was left unchanged.
    case foreign
    /// A file in the folder is not in the export format.
    case malformed
    /// Another process is writing or reading the folder.
    case inUse
    /// A tenant's id cannot be part of a file name.
    case unusableTenant
    case notPermitted
    /// The disk or the quota of this process is full.
    case full
    /// The operating system reported a read or write error.
    case inputOutput
  }

  /// The kind of failure.
  let code: Code
  /// What happened, with the name of the file or folder.
  public let message: String
  /// What the user can do about it.
  public let hint: String

  init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  init(errno code: Int32, at path: String) {
    let reason = String(cString: strerror(code))
    switch code {
    case ENOENT:
      self.init(.missing, "there is no folder \(path)", hint: "create it or give another path")
    case ENOTDIR:
      self.init(.missing, "\(path) is not a folder", hint: "give the path of a folder")
    case EACCES, EPERM, EROFS:
      self.init(
        .notPermitted, "\(path) may not be used: \(reason)",
        hint: "change the permissions or give another path")
    case ENOSPC, EDQUOT, EFBIG:
      self.init(
        .full, "there is no room to write \(path)", hint: "free some disk space or raise the limit")
    case EWOULDBLOCK:
      self.init(
        .inUse, "another process reads or writes the export \(path)", hint: "wait until it is done")
    default:
      self.init(
        .inputOutput, "\(path) could not be read or written: \(reason)", hint: "check the disk")
    }
  }

  /// The message and the hint.
  public var description: String { "\(message); \(hint)" }
}
