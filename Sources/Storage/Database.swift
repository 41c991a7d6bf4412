public import System
internal import CSQLite
internal import CShims
internal import Glibc

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
  /// - Parameters:
  ///   - withoutLocks: Opens read-only and ignores locks of other processes.
  ///   - isImmutable: Also ignores the log: nothing can change the file.
  init(
    connectingTo file: FileName, withoutLocks: Bool = false, isImmutable: Bool = false
  ) throws(JournalError) {
    // SQLite treats some names that begin with a colon as special instead of as a path.
    var path = file.path.hasPrefix(":") ? "./" + file.path : file.path
    // https://www.sqlite.org/uri.html section 3.1: what is special in a URI.
    if isImmutable {
      for (text, code) in [("%", "%25"), ("?", "%3f"), ("#", "%23")] {
        path = path.replacing(text, with: code)
      }
      path = "file:\(path)?immutable=1"
    }
    var connection: OpaquePointer?
    let flags = withoutLocks ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    errno = 0
    // "unix-none" has no locks (https://www.sqlite.org/vfs.html section 2.1).
    var status = sqlite3_open_v2(
      path, &connection, flags | SQLITE_OPEN_NOMUTEX | (isImmutable ? SQLITE_OPEN_URI : 0),
      withoutLocks ? "unix-none" : nil)
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

  /// Copies the log into the file and empties it; not inside a transaction.
  package func checkpoint() throws(JournalError) {
    try run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Frees SQLite's page cache.
  package func releaseMemory() {
    sqlite3_db_release_memory(connection)
  }
}

extension Database {
  /// Opens the file of a schema for this process only, or creates it.
  ///
  /// Throws if the file is of another kind, damaged, of a later version or in use; the file and its log are then
  /// unchanged.
  package static func open(
    path: String, schema: Schema, durability: Durability
  ) throws(JournalError) -> Database {
    let file = FileName(path: path, kind: schema.kind)
    try createIfMissing(file)
    let database = try Database(connectingTo: file)
    try database.checkHeader(schema)
    guard !database.isReadOnly else { throw file.readOnly }
    // Set this before the first access to the log: its index is then in this process's memory instead of a shared file
    // (SQLite, "Use of WAL Without Shared-Memory").
    try database.run("PRAGMA locking_mode = EXCLUSIVE")
    try database.run("BEGIN EXCLUSIVE")
    do {
      try database.migrate(to: schema)
      try database.commit()
    } catch {
      database.rollback()
      throw error
    }
    try database.configure(durability)
    try database.acknowledgeFile()
    return database
  }

  /// Opens the file of a schema and its log for reading while another process holds it.
  ///
  /// The other process must not write meanwhile, for example because it is suspended; otherwise reads may be
  /// inconsistent. Nothing is changed.
  package static func openToLook(path: String, schema: Schema) throws(JournalError) -> Database {
    let file = FileName(path: path, kind: schema.kind)
    let database = try Database(connectingTo: file, withoutLocks: true)
    try database.checkHeader(schema)
    // Keeps the index of the log in this process's memory.
    try database.run("PRAGMA locking_mode = EXCLUSIVE")
    return database
  }

  /// Opens a file on a read-only medium, which has no log.
  package static func openReadOnly(path: String, schema: Schema) throws(JournalError) -> Database {
    let file = FileName(path: path, kind: schema.kind)
    let database = try Database(connectingTo: file, withoutLocks: true, isImmutable: true)
    try database.checkHeader(schema)
    return database
  }

  /// Creates an empty file that only its owner can access; SQLite creates its side files with the same mode.
  private static func createIfMissing(_ file: FileName) throws(JournalError) {
    guard !file.path.isEmpty else { throw file.unusable("the path is empty") }
    guard !file.path.utf8.contains(0) else { throw file.unusable("the path has a NUL character") }
    let descriptor = Glibc.open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      Glibc.close(descriptor)
      return
    }
    guard errno == EEXIST else { throw file.failure(errno: errno) }
    // With a pipe, SQLite would block forever.
    var status = stat()
    guard stat(file.path, &status) == 0 else { throw file.failure(errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw file.unusable("it is not a plain file") }
    // SQLite treats a file of one byte as empty (`unixFileSize`) and would overwrite it.
    guard status.st_size != 1 else { throw file.foreign }
  }

  /// Rejects a file of another kind, before SQLite changes it or its side files.
  private func checkHeader(_ schema: Schema) throws(JournalError) {
    let header = try header()
    // The file is new, or a process died before it wrote the first page.
    guard !header.isEmpty else { return }
    let magic = Array("SQLite format 3\0".utf8)
    guard header.starts(with: magic) else { throw file.foreign }
    guard header.count >= 72 else { throw file.damaged("the file ends inside its header") }
    let applicationID = header[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard applicationID == UInt32(bitPattern: schema.applicationID) else { throw file.foreign }
  }

  private func configure(_ durability: Durability) throws(JournalError) {
    let mode = try text("PRAGMA journal_mode = WAL")
    guard mode == "wal" else { throw file.unusable("its file system has no write-ahead log") }
    switch durability {
    case .processDeath: try run("PRAGMA synchronous = NORMAL")
    case .powerLoss: try run("PRAGMA synchronous = FULL")
    }
    // The log is copied into the database every 1000 pages of 4 KiB. A large transaction can make it longer; the size
    // limit truncates it again afterwards.
    try run("PRAGMA wal_autocheckpoint = 1000")
    try run("PRAGMA journal_size_limit = 8388608")
    // In KiB. A large import is slow if its index does not fit into the cache.
    try run("PRAGMA cache_size = -32768")
    try run("PRAGMA temp_store = MEMORY")
    // Debian's SQLite overwrites all deleted data by default, others nothing; FAST overwrites only what costs no
    // additional writes.
    try run("PRAGMA secure_delete = FAST")
  }

  /// Begins a transaction; it never waits, because the file is already locked.
  package func begin() throws(JournalError) {
    try run("BEGIN IMMEDIATE")
  }

  /// Commits the open transaction.
  ///
  /// If this throws, the changes did not happen, and the transaction may still be open.
  package func commit() throws(JournalError) {
    try run("COMMIT")
  }

  /// Rolls back the open transaction, if there is one.
  package func rollback() {
    // SQLite itself rolls back after some errors. ROLLBACK fails only without a transaction.
    guard isInTransaction else { return }
    try? run("ROLLBACK")
  }

  /// Checks the file and migrates it to the schema's version, inside the open transaction.
  func migrate(to schema: Schema) throws(JournalError) {
    var version: Int64 = 0
    if try integer("SELECT count(*) FROM sqlite_schema") == 0 {
      try runScript(
        """
        PRAGMA application_id = \(schema.applicationID);
        CREATE TABLE luath_schema (version INTEGER PRIMARY KEY) STRICT;
        """)
    } else {
      version = try currentVersion()
      guard version <= schema.version else {
        throw file.newer(version, known: schema.version)
      }
      try checkStructure()
    }
    for (number, sql) in zip(1..., schema.migrations) where number > version {
      try runScript(sql.description)
      try run("INSERT INTO luath_schema (version) VALUES (?)", [.integer(Int64(number))])
    }
  }

  private func currentVersion() throws(JournalError) -> Int64 {
    let tables = try integer("SELECT count(*) FROM sqlite_schema WHERE name = 'luath_schema'")
    guard tables == 1 else { throw file.damaged("it has no version") }
    let version = try integer("SELECT max(version) FROM luath_schema")
    guard version > 0 else { throw file.damaged("it has no version") }
    return version
  }

  /// Checks every page once, because SQLite notices a damaged page only when it reads it.
  private func checkStructure() throws(JournalError) {
    let finding = try text("PRAGMA quick_check(1)")
    guard finding == "ok" else {
      // If there are several lines, the first is a heading.
      let line = finding.split(separator: "\n").last ?? "no answer"
      throw file.damaged(String(line))
    }
  }
}

/// The schema of a luath database file and the migrations from older versions.
package struct Schema {
  /// The kind of file in messages.
  let kind: String
  /// The application id in the file's header, which distinguishes it from other programs' files.
  let applicationID: Int32
  /// The SQL that migrates from each version to the next; the first one creates version 1 in an empty file.
  ///
  /// Released migrations must not be changed, because existing files were made with them.
  let migrations: [StaticString]

  package init(kind: String, applicationID: Int32, migrations: [StaticString]) {
    self.kind = kind
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// The version that this luath writes.
  var version: Int { migrations.count }
}

extension SystemLibrary {
  /// SQLite, which stores the emulator's state and batch journals.
  public static var sqlite: SystemLibrary {
    SystemLibrary("SQLite", String(cString: sqlite3_libversion()), headers: SQLITE_VERSION)
  }
}
