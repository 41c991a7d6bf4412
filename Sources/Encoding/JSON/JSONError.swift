/// Why a text is not a JSON document, and where the reader noticed.
///
/// The message never quotes the document, which may hold secrets.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The message where a key is in an object twice, and that is refused.
  public static let duplicateKey = "a key that is in its object already"

  /// What is wrong, in lower case and without a full stop.
  public let message: String
  /// The position in bytes, from 0.
  public let offset: Int
  /// The line, from 1.
  public let line: Int
  /// The column in bytes, from 1.
  public let column: Int

  /// Describes a fault at a known place.
  public init(message: String, offset: Int, line: Int, column: Int) {
    self.message = message
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// The message with its line and column.
  public var description: String { "\(message) (line \(line), column \(column))" }
}
