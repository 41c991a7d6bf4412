/// A row of a run as one number, the primary key in the journal's tables.
///
/// Rows stored by this key are in row order without an additional index.
struct RowKey: Equatable {
  /// The row number takes the lower 40 bits, enough for a trillion rows.
  private static let bits = 40
  static let largestNumber: Int64 = 1 << bits - 1

  let value: Int64

  init(_ value: Int64) {
    self.value = value
  }

  init(run: Int64, number: Int64) {
    precondition((0...Self.largestNumber).contains(number), "a row's number is out of range")
    precondition((1..<1 << 23).contains(run), "a run's number is out of range")
    value = run << Self.bits | number
  }

  var run: Int64 { value >> Self.bits }
  var number: Int64 { value & Self.largestNumber }

  /// The key before a run's first row, and the largest possible key of the run.
  static func limits(of run: Int64) -> (before: RowKey, last: RowKey) {
    (RowKey(run: run, number: 0), RowKey(run: run, number: largestNumber))
  }
}
