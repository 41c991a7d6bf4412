import CSQLite
import CShims
import Glibc

/// A connection to one SQLite file that no other process may use meanwhile.
///
/// Not `Sendable`: it belongs to one thread, and SQLite's own locks between threads are left out.
package final class Database {
  /// The file, for messages.
  package let file: FileName
  private var connection: OpaquePointer
  private var isOpen = true
  // By the address of their text, as the same literal is the same statement.
  private var statements: [UnsafePointer<UInt8>: Statement] = [:]

  /// Connects to an existing file and reads nothing of it.
  ///
  /// Until `acknowledgeFile` closing the connection changes nothing in the file.
  ///
  /// - Parameter withoutLocks: Only to read, and without regard to whoever has the file.
  init(connectingTo file: FileName, withoutLocks: Bool = false) throws(JournalError) {
    // SQLite takes some names that begin with a colon for no file at all.
    let path = file.path.hasPrefix(":") ? "./" + file.path : file.path
    var connection: OpaquePointer?
    let flags = withoutLocks ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    errno = 0
    // https://www.sqlite.org/vfs.html section 2.1: "unix-none" has no locks.
    var status = sqlite3_open_v2(
      path, &connection, flags | SQLITE_OPEN_NOMUTEX, withoutLocks ? "unix-none" : nil)
    if status == SQLITE_OK { status = luath_sqlite_distrust(connection) }
    if status == SQLITE_OK {
      // Without a log SQLite makes an empty one to look into, which it should take away again.
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

  /// Ends the connection, which undoes an open transaction and gives up the lock.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    for statement in statements.values { statement.end() }
    statements.removeAll()
    let status = sqlite3_close(connection)
    precondition(status == SQLITE_OK, "a statement outlived its database")
  }

  /// The prepared statement of this SQL, kept for the next time.
  package func statement(_ sql: StaticString) throws(JournalError) -> Statement {
    precondition(isOpen, "the database is closed")
    if let known = statements[sql.utf8Start] { return known }
    let statement = try Statement(sql, on: connection, of: file)
    statements[sql.utf8Start] = statement
    return statement
  }

  /// Runs one statement.
  package func run(_ sql: StaticString, _ values: [SQLValue] = []) throws(JournalError) {
    try statement(sql).run(values)
  }

  /// Runs statements without parameters one after the other, and keeps none of them.
  func runScript(_ sql: String) throws(JournalError) {
    precondition(isOpen, "the database is closed")
    errno = 0
    let status = sqlite3_exec(connection, sql, nil, nil, nil)
    guard status == SQLITE_OK else { throw file.failure(status, of: connection) }
  }

  /// The whole number in the first column of the first row.
  package func integer(_ sql: StaticString) throws(JournalError) -> Int64 {
    let rows = try statement(sql).rows()
    return try rows.next()?.integer(0) ?? 0
  }

  /// The text in the first column of the first row.
  func text(_ sql: StaticString) throws(JournalError) -> String {
    let rows = try statement(sql).rows()
    return try rows.next()?.string(0) ?? ""
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(connection) == 0 }

  /// Whether the file may only be read.
  var isReadOnly: Bool { sqlite3_db_readonly(connection, "main") == 1 }

  /// Whether the file is no longer where it was opened.
  package var hasMoved: Bool { luath_sqlite_has_moved(connection) != 0 }

  /// The start of the file as it is on disk, shorter than a header when the file is.
  func header() throws(JournalError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: LUATH_SQLITE_HEADER)
    var length: Int32 = 0
    let status = luath_sqlite_read_header(connection, &bytes, &length)
    guard status == SQLITE_OK else { throw file.failure(status, of: connection) }
    return Array(bytes.prefix(Int(length)))
  }

  /// Takes the file for one that luath may write, also when the connection closes.
  func acknowledgeFile() throws(JournalError) {
    let status = luath_sqlite_keep_log(connection, 0)
    guard status == SQLITE_OK else { throw file.failure(status, of: connection) }
  }

  /// Gives back the memory that SQLite keeps to read pages again.
  package func releaseMemory() {
    sqlite3_db_release_memory(connection)
  }
}
