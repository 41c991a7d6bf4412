internal import System
internal import CSQLite
internal import Glibc

/// The path of a database file, and the error messages for it.
package struct FileName {
  /// The path as the caller gave it.
  let path: String
  /// The kind of file, such as "state file".
  let kind: String

  /// The path for messages, without control characters.
  package var shown: String { Self.shown(path) }

  package static func shown(_ path: String) -> String {
    let scalars = path.unicodeScalars.map { scalar -> Unicode.Scalar in
      scalar.properties.generalCategory == .control ? "?" : scalar
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// Converts an SQLite error.
  ///
  /// SQLite's message names tables, columns and its own findings, but no bound values. Call this right after the
  /// failed call, with `errno` set to 0 before that call: SQLite keeps the system error for statements that fail in
  /// the middle (`sqlite3_system_errno`), but not for a `COMMIT`.
  func failure(_ status: Int32, of connection: OpaquePointer?) -> JournalError {
    let cause = errno
    let reason = connection.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
    switch status & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED: return inUse
    case SQLITE_NOTADB, SQLITE_CORRUPT: return damaged(reason)
    case SQLITE_READONLY, SQLITE_PERM: return readOnly
    case SQLITE_FULL: return full
    case SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_AUTH:
      guard cause != 0 else { return inputOutput(reason) }
      return failure(errno: cause)
    default:
      return .init(
        .internalFailure, "the \(kind) \(shown) could not be used: \(reason)",
        hint: "this is a fault of luath: please report it")
    }
  }

  func failure(errno code: Int32) -> JournalError {
    switch code {
    case EACCES, EPERM, EROFS: readOnly
    // EDQUOT and EFBIG are limits for this user or process.
    case ENOSPC, EDQUOT, EFBIG: full
    case ENOENT, ENOTDIR:
      .init(
        .unusablePath, "there is no directory for the \(kind) \(shown)",
        hint: "create the directory or give another path")
    case EISDIR, ELOOP, ENAMETOOLONG: unusable(SystemError(code).message)
    default: inputOutput(SystemError(code).message)
    }
  }

  var inUse: JournalError {
    .init(
      .inUse, "the \(kind) \(shown) is in use by another luath",
      hint: "stop that process or give another path")
  }

  var foreign: JournalError {
    .init(
      .foreign, "\(shown) is not a \(kind) of luath, and was left as it is",
      hint: "give the path of a new file or of one that luath made")
  }

  var readOnly: JournalError {
    .init(
      .readOnly, "the \(kind) \(shown) or its directory may not be written",
      hint: "change the permissions or give another path")
  }

  var full: JournalError {
    .init(
      .full, "the disk is full: cannot write the \(kind) \(shown)",
      hint: "free some disk space or raise the limit, then start again")
  }

  package var moved: JournalError {
    .init(
      .moved, "the \(kind) \(shown) was moved or removed while it was in use",
      hint: "put it back, then start again")
  }

  func newer(_ version: Int64, known: Int) -> JournalError {
    .init(
      .newer, "a later luath wrote the \(kind) \(shown): version \(version), known is \(known)",
      hint: "use that version of luath or give another path")
  }

  func unusable(_ reason: String) -> JournalError {
    .init(
      .unusablePath, "\(shown) cannot be a \(kind): \(reason)",
      hint: "give the path of a plain file")
  }

  package func damaged(_ reason: String) -> JournalError {
    .init(
      .damaged, "the \(kind) \(shown) is damaged: \(reason)",
      hint: "put back a copy of the file and of the files beside it, or give another path")
  }

  private func inputOutput(_ reason: String) -> JournalError {
    .init(
      .inputOutput, "the \(kind) \(shown) could not be read or written: \(reason)",
      hint: "check the disk, then start again")
  }
}

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

  package init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message followed by the hint.
  public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
