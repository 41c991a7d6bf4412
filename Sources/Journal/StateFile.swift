import Encoding
import Glibc

/// Durable rows in named collections: a collection and a key lead to bytes.
///
/// Changes belong together until `commit`; once that returns, they survive what `Durability` says.
/// One process at a time has the file. After a failure nothing more is written or acknowledged:
/// what the file holds is then the last commit, and the process that holds more should end.
///
/// Not `Sendable`: it belongs to one thread.
public final class StateFile {
  private let database: Database
  private var collections: [ExactString: Int64] = [:]
  private var failure: JournalError?

  /// Opens a state file, or makes a new one; only its owner can read it from then on.
  ///
  /// It throws when the file is in use, is something else, is damaged or newer, or cannot be
  /// written; the file is then as it was.
  public init(
    path: String, durability: Durability = .processDeath
  ) throws(JournalError) {
    let file = FileName(path: path, kind: Self.schema.kind)
    // Whoever laid the link chose where passwords and keys are written.
    if FileAccess(entry: path)?.isLink == true { throw file.unusable("it is a symbolic link") }
    database = try Database.open(path: path, schema: Self.schema, durability: durability)
    try Self.makePrivate(file)
    try readCollections()
  }

  /// Takes the rights of others from the file and from SQLite's log beside it.
  private static func makePrivate(_ file: FileName) throws(JournalError) {
    for path in [file.path, "\(file.path)-wal"] {
      guard let access = FileAccess(path: path), access.isPlainFile, access.isOpenToOthers else {
        continue
      }
      guard chmod(path, mode_t(access.mode & 0o700)) == 0 else {
        let reason = String(cString: strerror(errno))
        throw file.unusable("others may read it, and chmod fails: \(reason)")
      }
    }
  }

  /// Shows every row, changes that are not committed included, in the order of their first `put`.
  ///
  /// It throws a `JournalError`, or what the body throws. The body must not change the file.
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

  /// Writes a row, in place of one with the same bytes as key.
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

  /// Removes the rows of all collections whose names begin with these bytes.
  ///
  /// An empty prefix removes everything. End a prefix with the separator of your names, or
  /// `users/a` takes `users/ab` with it. If this fails, the next `commit` throws.
  public func deleteAll(inCollectionsFrom prefix: String) {
    for (name, number) in collections where name.string.utf8.starts(with: prefix.utf8) {
      change { () throws(JournalError) in
        try database.run("DELETE FROM entries WHERE collection = ?", [.integer(number)])
        try database.run("DELETE FROM collections WHERE id = ?", [.integer(number)])
        collections[name] = nil
      }
    }
  }

  /// Makes the changes since the last commit last; without changes it costs nothing.
  ///
  /// Only what a commit that returned holds may be acknowledged. Once one throws, so do all later
  /// ones.
  public func commit() throws(JournalError) {
    if let failure { throw failure }
    guard database.isInTransaction else { return }
    // Rows in a file that nobody can find again would be lost.
    if database.hasMoved {
      fail(database.file.moved)
    } else {
      do { try database.commit() } catch { fail(error) }
    }
    if let failure { throw failure }
  }

  /// Gives the file up; changes since the last commit are undone.
  ///
  /// The file is then complete by itself, without the log beside it. It must not be used again.
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

  /// The number of a collection, which is made when it is new.
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
