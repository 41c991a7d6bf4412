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
