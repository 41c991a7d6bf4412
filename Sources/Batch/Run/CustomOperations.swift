import System

/// Runs the custom operations of a script for the executor.
protocol CustomOperations: Sendable {
  /// Runs an operation.
  ///
  /// - Parameters:
  ///   - account: The account of `uid` as the backend returns it; nil when there is none, or no `uid`.
  func run(
    _ name: String, uid: String?, arguments: JSON, account: JSON?
  ) async throws(CustomFailure)

  /// Whether the operation is already done; nil if the script does not define `isDone` for it.
  func isDone(
    _ name: String, uid: String?, arguments: JSON, account: JSON?
  ) async throws(CustomFailure) -> Bool?
}

/// The failure of a custom operation.
struct CustomFailure: Error, Sendable {
  /// The error for the row, without secrets.
  let fault: RowFailure
  /// Whether a retry may succeed.
  let isRetryable: Bool
  /// Whether the operation may have taken effect in spite of the failure.
  let isOutcomeUnknown: Bool

  /// Creates a failure from its parts.
  init(_ fault: RowFailure, isRetryable: Bool = false, isOutcomeUnknown: Bool = false) {
    self.fault = fault
    self.isRetryable = isRetryable
    self.isOutcomeUnknown = isOutcomeUnknown
  }
}
