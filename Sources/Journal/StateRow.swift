/// A row of a state file.
public struct StateRow: Sendable {
  /// The collection the row is in.
  public let collection: String
  /// The row's name in its collection, compared by bytes.
  public let key: String
  /// What was put there.
  public let value: [UInt8]
}
