import CSQLite
import CShims
import Glibc

/// A connection to an SQLite file, locked for this process.
///
/// Not `Sendable`: it belongs to one thread, and SQLite's thread locks are turned off.
package final class Database {
  /// The file's name in messages.
  package let file: FileName
  private var connection: OpaquePointer
  private var isOpen = true
  // Keyed by the address of the SQL text, because the same literal is the same statement.
  private var statements: [UnsafePointer<UInt8>: Statement] = [:]

  /// Connects to an existing file without reading it.
  ///
  /// Until `acknowledgeFile` is called, closing the connection does not change the file.
  ///
  /// - Parameter withoutLocks: Opens read-only and ignores locks of other processes.
  init(connectingTo file: FileName, withoutLocks: Bool = false) throws(JournalError) {
    // SQLite treats some names that begin with a colon as special instead of as a path.
    let path = file.path.hasPrefix(":") ? "./" + file.path : file.path
    var connection: OpaquePointer?
    let flags = withoutLocks ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    errno = 0
    // "unix-none" has no locks (https://www.sqlite.org/vfs.html section 2.1).
    var status = sqlite3_open_v2(
      path, &connection, flags | SQLITE_OPEN_NOMUTEX, withoutLocks ? "unix-none" : nil)
    if status == SQLITE_OK { status = luath_sqlite_distrust(connection) }
    if status == SQLITE_OK {
      // Keep an existing log on close. If there is none, SQLite creates an empty one, which it should remove again.
      status = luath_sqlite_keep_log(connection, luath_sqlite_has_log(connection))
    }
    guard status == SQLITE_OK, let connection else {
      defer { sqlite3_close(connection) }
      throw file.failure(status, of: connection)
    }
    self.file = file
    self.connection = connection
  }

  deinit {
    close()
  }

  /// Closes the connection; this rolls back an open transaction and releases the lock.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    for statement in statements.values { statement.end() }
    statements.removeAll()
    let status = sqlite3_close(connection)
    precondition(status == SQLITE_OK, "a statement outlived its database")
  }

  /// The prepared statement for this SQL, from a cache.
  package func statement(_ sql: StaticString) throws(JournalError) -> Statement {
    precondition(isOpen, "the database is closed")
    if let known = statements[sql.utf8Start] { return known }
    let statement = try Statement(sql, on: connection, of: file)
    statements[sql.utf8Start] = statement
    return statement
  }

  package func run(_ sql: StaticString, _ values: [SQLValue] = []) throws(JournalError) {
    try statement(sql).run(values)
  }

  /// Runs SQL statements without parameters and without caching them.
  func runScript(_ sql: String) throws(JournalError) {
    precondition(isOpen, "the database is closed")
    errno = 0
    let status = sqlite3_exec(connection, sql, nil, nil, nil)
    guard status == SQLITE_OK else { throw file.failure(status, of: connection) }
  }

  /// The integer in the first column of the first row; 0 without a row.
  package func integer(_ sql: StaticString) throws(JournalError) -> Int64 {
    let rows = try statement(sql).rows()
    return try rows.next()?.integer(0) ?? 0
  }

  /// The text in the first column of the first row; empty without a row.
  func text(_ sql: StaticString) throws(JournalError) -> String {
    let rows = try statement(sql).rows()
    return try rows.next()?.string(0) ?? ""
  }

  package var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(connection) == 0 }

  var isReadOnly: Bool { sqlite3_db_readonly(connection, "main") == 1 }

  /// Whether the file was moved or removed since it was opened.
  package var hasMoved: Bool { luath_sqlite_has_moved(connection) != 0 }

  /// The start of the file on disk; shorter than a header if the file is.
  func header() throws(JournalError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: LUATH_SQLITE_HEADER)
    var length: Int32 = 0
    let status = luath_sqlite_read_header(connection, &bytes, &length)
    guard status == SQLITE_OK else { throw file.failure(status, of: connection) }
    return Array(bytes.prefix(Int(length)))
  }

  /// Marks the file as luath's own, so that closing the connection may change it.
  func acknowledgeFile() throws(JournalError) {
    let status = luath_sqlite_keep_log(connection, 0)
    guard status == SQLITE_OK else { throw file.failure(status, of: connection) }
  }

  /// Frees SQLite's page cache.
  package func releaseMemory() {
    sqlite3_db_release_memory(connection)
  }
}
