/// A row of a run as one number, by which the journal's tables know it.
///
/// A database keeps rows in the order of such a key without an index beside them.
struct RowKey: Equatable {
  /// A row's number takes the lower bits, enough for a million million rows.
  private static let bits = 40
  /// The largest number that a row can have.
  static let largestNumber: Int64 = 1 << bits - 1

  /// The number in the database.
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

  /// Before the first and the last that a run's rows can have.
  static func limits(of run: Int64) -> (before: RowKey, last: RowKey) {
    (RowKey(run: run, number: 0), RowKey(run: run, number: largestNumber))
  }
}
