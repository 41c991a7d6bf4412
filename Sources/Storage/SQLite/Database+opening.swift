import Glibc

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
}
