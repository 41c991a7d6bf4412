import CSQLite
public import System

extension SystemLibrary {
  /// SQLite, which stores the emulator's state and batch journals.
  public static var sqlite: SystemLibrary {
    SystemLibrary("SQLite", String(cString: sqlite3_libversion()), headers: SQLITE_VERSION)
  }
}
