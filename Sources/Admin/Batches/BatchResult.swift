/// What became of the rows of a batch.
public struct BatchResult: Sendable {
  /// A row that the backend, or luath before it, refused.
  public struct RowError: Sendable {
    /// The row's position, from 0.
    public let index: Int
    /// The account it is about, if the row names one.
    public let uid: String?
    /// Why it was refused.
    public let message: String
  }

  /// How many rows were done.
  public internal(set) var successCount = 0
  /// The rows that were refused, in order.
  public internal(set) var errors: [RowError] = []

  /// How many rows were refused.
  public var failureCount: Int { errors.count }
}

/// How far a batch had come when it was cut off.
public struct CutOffBatch: Sendable {
  /// What became of the rows that were answered.
  public let result: BatchResult
  /// The rows, from 0, of which nobody knows whether they were done: the answer did not come.
  public let uncertain: Range<Int>
  /// The rows, from 0, that were certainly not done.
  public let notDone: Range<Int>
}
