import CSQLite
import CShims
import Glibc

/// A prepared statement, which can run any number of times with different values.
///
/// It belongs to the `Database` that created it, and ends with it at the latest.
package final class Statement {
  let handle: OpaquePointer
  private let file: FileName
  private let connection: OpaquePointer
  private var hasEnded = false

  init(_ sql: StaticString, on connection: OpaquePointer, of file: FileName) throws(JournalError) {
    var handle: OpaquePointer?
    let status = sql.withUTF8Buffer { text in
      text.withMemoryRebound(to: CChar.self) { text in
        sqlite3_prepare_v3(
          connection, text.baseAddress, Int32(text.count), UInt32(SQLITE_PREPARE_PERSISTENT),
          &handle, nil)
      }
    }
    guard status == SQLITE_OK, let handle else {
      throw file.failure(status, of: connection)
    }
    self.handle = handle
    self.file = file
    self.connection = connection
  }

  deinit {
    end()
  }

  /// Finalizes the statement, even if references to it remain; it must not run again.
  ///
  /// An optimized build may release objects in a different order, so the database may be closed before the last
  /// `Rows` value ends.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    sqlite3_finalize(handle)
  }

  /// Runs the statement to its end and ignores any rows.
  package func run(_ values: [SQLValue] = []) throws(JournalError) {
    let rows = try rows(values)
    while try rows.next() != nil {}
  }

  /// Starts the statement; the caller steps through its rows.
  package func rows(_ values: [SQLValue] = []) throws(JournalError) -> Rows {
    precondition(sqlite3_stmt_busy(handle) == 0, "a statement cannot run inside itself")
    let rows = Rows(of: self)
    try bind(values)
    return rows
  }

  private func bind(_ values: [SQLValue]) throws(JournalError) {
    precondition(
      values.count == Int(sqlite3_bind_parameter_count(handle)),
      "a statement needs one value for each of its parameters")
    for (index, value) in zip(Int32(1)..., values) {
      let status = bind(value, at: index)
      guard status == SQLITE_OK else { throw file.failure(status, of: connection) }
    }
  }

  private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, index)
    case .integer(let value): return sqlite3_bind_int64(handle, index, value)
    case .blob(let bytes):
      return bytes.withUnsafeBytes {
        luath_sqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
      }
    case .text(var text):
      return text.withUTF8 {
        luath_sqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
      }
    case .utf8(var text):
      return text.withUTF8 {
        luath_sqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
      }
    }
  }

  /// Advances to the next row; false at the end.
  func step() throws(JournalError) -> Bool {
    errno = 0
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let status: throw file.failure(status, of: connection)
    }
  }

  /// Resets the statement and clears the bound values, which may be secrets.
  func reset() {
    guard !hasEnded else { return }
    // Ignore the status: it repeats the error of the last step, which was already thrown.
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }
}
