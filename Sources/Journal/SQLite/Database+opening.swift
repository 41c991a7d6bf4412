import Glibc

extension Database {
  /// Opens the file of a schema for this process alone, or makes it when there is none.
  ///
  /// A file that is something else, is damaged, was written by a later version or is in use is
  /// refused and left as it is, its log included.
  package static func open(
    path: String, schema: Schema, durability: Durability
  ) throws(JournalError) -> Database {
    let file = FileName(path: path, kind: schema.kind)
    try createIfMissing(file)
    let database = try Database(connectingTo: file)
    try database.checkHeader(schema)
    guard !database.isReadOnly else { throw file.readOnly }
    // Before the log is looked at first: its index then lives in this process instead of a file
    // shared with others (SQLite, "Use of WAL Without Shared-Memory").
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

  /// Opens the file of a schema only to read what is in it and in its log, though another process has it.
  ///
  /// The other process must not write meanwhile, as one that was stopped does not: what is read could be of two
  /// moments otherwise. Nothing is changed.
  package static func openToLook(path: String, schema: Schema) throws(JournalError) -> Database {
    let file = FileName(path: path, kind: schema.kind)
    let database = try Database(connectingTo: file, withoutLocks: true)
    try database.checkHeader(schema)
    // The index of the log lives in this process then.
    try database.run("PRAGMA locking_mode = EXCLUSIVE")
    return database
  }

  /// Makes an empty file that only its owner can read; SQLite gives the files beside it that mode.
  private static func createIfMissing(_ file: FileName) throws(JournalError) {
    guard !file.path.isEmpty else { throw file.unusable("the path is empty") }
    guard !file.path.utf8.contains(0) else { throw file.unusable("the path has a NUL character") }
    let descriptor = Glibc.open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      Glibc.close(descriptor)
      return
    }
    guard errno == EEXIST else { throw file.failure(errno: errno) }
    // A pipe would make SQLite wait for ever.
    var status = stat()
    guard stat(file.path, &status) == 0 else { throw file.failure(errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw file.unusable("it is not a plain file") }
    // SQLite takes a file of one byte for an empty one (`unixFileSize`) and would write over it.
    guard status.st_size != 1 else { throw file.foreign }
  }

  /// Refuses a file that is not of this schema before SQLite touches it or what is beside it.
  private func checkHeader(_ schema: Schema) throws(JournalError) {
    let header = try header()
    // Nothing is in the file, or a process died before it had written the first page.
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
    // The log is copied into the database every 1000 pages of 4 KiB. One large transaction can
    // make it longer; what is above the limit is then given back.
    try run("PRAGMA wal_autocheckpoint = 1000")
    try run("PRAGMA journal_size_limit = 8388608")
    // In KiB. An index that does not fit makes a large import slow.
    try run("PRAGMA cache_size = -32768")
    try run("PRAGMA temp_store = MEMORY")
    // Debian's SQLite overwrites all that is deleted, others nothing; this overwrites what costs
    // no further writing.
    try run("PRAGMA secure_delete = FAST")
  }
}
