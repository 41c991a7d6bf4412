internal import System
internal import CSQLite
internal import CShims
internal import Glibc

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

/// A parameter value of a statement.
///
/// Values reach SQLite only as parameters: SQL is a static string, which cannot contain one.
package enum SQLValue {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  /// A text as a BLOB of UTF-8, which SQLite compares by bytes, independently of collations.
  case utf8(String)
}

/// The current row of a running statement; invalid after the statement's next step.
package struct Row {
  private let statement: OpaquePointer

  init(of statement: Statement) {
    self.statement = statement.handle
  }

  /// The integer in a column; 0 for NULL.
  package func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(statement, column)
  }

  /// The bytes in a column; empty for NULL.
  package func bytes(_ column: Int32) -> [UInt8] {
    withBytes(column) { Array($0) }
  }

  /// The text or the UTF-8 BLOB in a column, or nil when it is not valid UTF-8.
  package func string(_ column: Int32) -> String? {
    withBytes(column) { String(utf8: $0.assumingMemoryBound(to: UInt8.self)) }
  }

  private func withBytes<Result>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    // Get the pointer before the length (sqlite3_column_blob).
    let start = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return body(UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// Iterates over the rows of a running statement; the statement is reset when this value ends.
package struct Rows: ~Copyable {
  private let statement: Statement

  init(of statement: Statement) {
    self.statement = statement
  }

  deinit {
    statement.reset()
  }

  /// The next row, valid until the next call; nil at the end.
  package func next() throws(JournalError) -> Row? {
    try statement.step() ? Row(of: statement) : nil
  }
}
