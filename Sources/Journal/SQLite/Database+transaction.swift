extension Database {
  /// Opens a transaction; the file is locked already, so it never waits.
  package func begin() throws(JournalError) {
    try run("BEGIN IMMEDIATE")
  }

  /// Makes the changes of the open transaction last.
  ///
  /// When this throws, they did not happen, and the transaction may or may not be open still.
  package func commit() throws(JournalError) {
    try run("COMMIT")
  }

  /// Undoes the changes of the open transaction, if there is one.
  package func rollback() {
    // SQLite itself rolls back after some errors, and the statement has nothing else to fail at.
    guard isInTransaction else { return }
    try? run("ROLLBACK")
  }
}
