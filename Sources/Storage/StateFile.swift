internal import System
internal import Glibc

/// Durable rows in named collections: each row maps a collection and a key to bytes.
///
/// Changes form a transaction until `commit`; once that returns, they survive the failures listed in `Durability`.
/// Only one process at a time can open the file. After a failure nothing more is written or acknowledged: the file
/// then holds the last commit, and a process with newer data in memory should end.
///
/// Not `Sendable`: it belongs to one thread.
public final class StateFile {
  private let database: Database
  private var collections: [ExactString: Int64] = [:]
  private var failure: JournalError?

  /// Opens or creates a state file, and makes it private to its owner.
  ///
  /// Throws if the file is in use, of another kind, damaged, of a later version or not writable; its content is then
  /// unchanged.
  public init(
    path: String, durability: Durability = .processDeath
  ) throws(JournalError) {
    let file = FileName(path: path, kind: Self.schema.kind)
    // The creator of the link would choose where passwords and keys are written.
    if FileAccess(entry: path)?.isLink == true { throw file.unusable("it is a symbolic link") }
    database = try Database.open(path: path, schema: Self.schema, durability: durability)
    try Self.makePrivate(file)
    try readCollections()
  }

  /// Removes other users' access to the file and to SQLite's log.
  private static func makePrivate(_ file: FileName) throws(JournalError) {
    for path in [file.path, "\(file.path)-wal"] {
      guard let access = FileAccess(path: path), access.isFile, access.isOpenToOthers else {
        continue
      }
      guard chmod(path, mode_t(access.mode & 0o700)) == 0 else {
        let reason = SystemError(errno).message
        throw file.unusable("others may read it, and chmod fails: \(reason)")
      }
    }
  }

  /// Calls `body` with every row, including uncommitted changes, in the order in which the rows were first put.
  ///
  /// Throws a `JournalError` or the error of `body`. `body` must not change the file.
  public func forEach(_ body: (StateRow) throws -> Void) throws {
    if let failure { throw failure }
    let names = Dictionary(uniqueKeysWithValues: collections.map { ($1, $0.string) })
    defer { database.releaseMemory() }
    let rows = try database.statement("SELECT collection, key, value FROM entries ORDER BY id")
      .rows()
    while let row = try rows.next() {
      guard let collection = names[row.integer(0)], let key = row.string(1) else {
        throw database.file.damaged("a row has no name")
      }
      try body(StateRow(collection: collection, key: key, value: row.bytes(2)))
    }
  }

  /// Writes a row; replaces a row with the same key, compared by bytes.
  ///
  /// If this fails, the next `commit` throws.
  public func put(_ collection: String, key: String, value: [UInt8]) {
    change { () throws(JournalError) in
      try database.run(
        """
        INSERT INTO entries (collection, key, value) VALUES (?, ?, ?)
        ON CONFLICT (collection, key) DO UPDATE SET value = excluded.value
        """,
        [.integer(try number(of: collection)), .utf8(key), .blob(value)])
    }
  }

  /// Removes a row, if it is there.
  ///
  /// If this fails, the next `commit` throws.
  public func delete(_ collection: String, key: String) {
    guard let number = collections[ExactString(collection)] else { return }
    change { () throws(JournalError) in
      try database.run(
        "DELETE FROM entries WHERE collection = ? AND key = ?", [.integer(number), .utf8(key)])
    }
  }

  /// Removes the rows of all collections whose names begin with `prefix`, compared by bytes.
  ///
  /// An empty prefix removes everything. End the prefix with your names' separator; otherwise `users/a` also removes
  /// `users/ab`. If this fails, the next `commit` throws.
  public func deleteAll(inCollectionsFrom prefix: String) {
    for (name, number) in collections where name.string.utf8.starts(with: prefix.utf8) {
      change { () throws(JournalError) in
        try database.run("DELETE FROM entries WHERE collection = ?", [.integer(number)])
        try database.run("DELETE FROM collections WHERE id = ?", [.integer(number)])
        collections[name] = nil
      }
    }
  }

  /// Commits the changes since the last commit; without changes it does nothing.
  ///
  /// Acknowledge changes only after `commit` has returned. Once it throws, all later calls throw.
  public func commit() throws(JournalError) {
    if let failure { throw failure }
    guard database.isInTransaction else { return }
    // Do not commit into a file that was moved or deleted: nobody would find the data.
    if database.hasMoved {
      fail(database.file.moved)
    } else {
      do { try database.commit() } catch { fail(error) }
    }
    if let failure { throw failure }
  }

  /// Closes the file; changes since the last commit are rolled back.
  ///
  /// The log is then copied into the file and removed. Do not use this object afterwards.
  public func close() {
    database.close()
  }

  private func change(_ body: () throws(JournalError) -> Void) {
    guard failure == nil else { return }
    do {
      if !database.isInTransaction { try database.begin() }
      try body()
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: JournalError) {
    failure = error
    database.rollback()
  }

  /// The id of a collection, which is created if it is new.
  private func number(of collection: String) throws(JournalError) -> Int64 {
    let name = ExactString(collection)
    if let known = collections[name] { return known }
    let rows = try database.statement("INSERT INTO collections (name) VALUES (?) RETURNING id")
      .rows([.utf8(collection)])
    guard let number = try rows.next()?.integer(0) else {
      throw database.file.damaged("a collection has no number")
    }
    collections[name] = number
    return number
  }

  private func readCollections() throws(JournalError) {
    collections.removeAll()
    let rows = try database.statement("SELECT id, name FROM collections").rows()
    while let row = try rows.next() {
      guard let name = row.string(1) else {
        throw database.file.damaged("a collection has no name")
      }
      collections[ExactString(name)] = row.integer(0)
    }
  }
}

extension StateFile {
  /// The state file's tables; the application id is "LUAT".
  ///
  /// Names and keys are BLOBs, because TEXT is compared by its collation. Rows are found through the index but stored
  /// in insertion order, so that an import writes pages sequentially and changing a value touches no other page.
  static var schema: Schema {
    Schema(
      kind: "state file", applicationID: 0x4C55_4154,
      migrations: [
        """
        CREATE TABLE collections (
          id INTEGER PRIMARY KEY,
          name BLOB NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE entries (
          id INTEGER PRIMARY KEY,
          collection INTEGER NOT NULL,
          key BLOB NOT NULL,
          value BLOB NOT NULL,
          UNIQUE (collection, key)
        ) STRICT;
        """
      ])
  }
}

/// A row of a state file.
public struct StateRow: Sendable {
  /// The collection that contains the row.
  public let collection: String
  /// The row's key in its collection, compared by bytes.
  public let key: String
  /// The row's content.
  public let value: [UInt8]
}

/// Which failures an acknowledged commit survives.
///
/// In both cases the file stays consistent; only the last commits can be missing.
public enum Durability: Sendable, CaseIterable {
  /// The death of the process, including `kill -9`, because the operating system has the commit.
  ///
  /// A power loss or a crash of the operating system may undo the last commits, in order: those since the log was last
  /// copied into the database, which happens every thousand pages.
  case processDeath
  /// Also power loss: every commit waits until it is on disk.
  case powerLoss
}
