/// The result of a batch.
public struct BatchResult: Sendable {
  /// A row that the backend or luath rejected.
  public struct RowError: Sendable {
    /// The row's position, from 0.
    public let index: Int
    /// The uid of the account, if the row has one.
    public let uid: String?
    /// Why it was rejected.
    public let message: String
  }

  /// The number of successful rows.
  public internal(set) var successCount = 0
  /// The rejected rows, in order.
  public internal(set) var errors: [RowError] = []

  /// The number of rejected rows.
  public var failureCount: Int { errors.count }
}

/// The progress of an interrupted batch.
public struct CutOffBatch: Sendable {
  /// The results of the rows with a response.
  public let result: BatchResult
  /// The rows, from 0, with an unknown result, because there was no response.
  public let uncertain: Range<Int>
  /// The rows, from 0, that were not sent.
  public let notDone: Range<Int>
}
