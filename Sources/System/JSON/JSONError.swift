/// A JSON syntax error and its position.
///
/// The message never quotes the document, which may contain secrets.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The message for a duplicate key, if `refusesDuplicates` is set.
  public static let duplicateKey = "a key that is in its object already"

  /// What is wrong, in lower case and without a period.
  public let message: String
  /// The byte offset, from 0.
  public let offset: Int
  /// The line number, from 1.
  public let line: Int
  /// The column in bytes, from 1.
  public let column: Int

  /// The message with line and column.
  public var description: String { "\(message) (line \(line), column \(column))" }
}
