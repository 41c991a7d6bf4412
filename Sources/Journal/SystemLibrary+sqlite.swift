import CSQLite
public import Encoding

extension SystemLibrary {
  /// SQLite, which keeps the emulator's state and the records of batches.
  public static var sqlite: SystemLibrary {
    SystemLibrary("SQLite", String(cString: sqlite3_libversion()), headers: SQLITE_VERSION)
  }
}
