import System
import CSQLite

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
