/// The rows of a running statement, one after the other; the run ends with this value.
package struct Rows: ~Copyable {
  private let statement: Statement

  init(of statement: Statement) {
    self.statement = statement
  }

  deinit {
    statement.reset()
  }

  /// The next row, which is valid until the one after it is asked for; nil at the end.
  package func next() throws(JournalError) -> Row? {
    try statement.step() ? Row(of: statement) : nil
  }
}
