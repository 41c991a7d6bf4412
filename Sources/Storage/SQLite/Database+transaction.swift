extension Database {
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
}
