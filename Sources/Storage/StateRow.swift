/// A row of a state file.
public struct StateRow: Sendable {
  /// The collection that contains the row.
  public let collection: String
  /// The row's key in its collection, compared by bytes.
  public let key: String
  /// The row's content.
  public let value: [UInt8]
}
