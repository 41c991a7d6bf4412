/// Iterates over the rows of a running statement; the statement is reset when this value ends.
package struct Rows: ~Copyable {
  private let statement: Statement

  init(of statement: Statement) {
    self.statement = statement
  }

  deinit {
    statement.reset()
  }

  /// The next row, valid until the next call; nil at the end.
  package func next() throws(JournalError) -> Row? {
    try statement.step() ? Row(of: statement) : nil
  }
}
