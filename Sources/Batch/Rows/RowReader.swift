public import Encoding

/// One row of an input, or why it cannot be read.
public struct InputRow: Sendable {
  /// Its number, from 1, not counting a header.
  public var number: Int64
  /// The line where it begins, from 1.
  public var line: Int64
  /// Its columns.
  public var fields: Result<JSONObject, RowFault>

  /// Describes a row.
  public init(number: Int64, line: Int64, fields: Result<JSONObject, RowFault>) {
    self.number = number
    self.line = line
    self.fields = fields
  }
}

/// Reads rows one by one, in memory that does not grow with the input.
public protocol RowReader: AnyObject {
  /// The names of the columns, in order; empty when rows are JSON.
  var columns: [String] { get }

  /// The next row; nil behind the last.
  func next() throws(BatchProblem) -> InputRow?
}
