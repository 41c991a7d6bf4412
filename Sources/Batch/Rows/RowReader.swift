import System

/// One row of an input, or the error in it.
public struct InputRow: Sendable {
  /// The row number, from 1, not counting a header.
  var number: Int64
  /// The line where the row begins, from 1.
  var line: Int64
  /// The row's columns by name.
  var fields: Result<JSONObject, RowFailure>
}

/// Reads rows one by one, in constant memory.
public protocol RowReader: AnyObject {
  /// The names of the columns, in order; empty when rows are JSON.
  var columns: [String] { get }

  /// The next row; nil after the last.
  func next() throws(BatchProblem) -> InputRow?
}
