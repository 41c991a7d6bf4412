public import Encoding

/// The operations that a script defines, as a run asks for them.
public protocol CustomOperations: Sendable {
  /// Carries an operation out.
  ///
  /// - Parameters:
  ///   - account: The account of `uid` as the backend tells it; nil when there is none, or no `uid`.
  func run(
    _ name: String, uid: String?, arguments: JSON, account: JSON?
  ) async throws(CustomFailure)

  /// Whether it has been carried out already; nil where the script does not say.
  func isDone(
    _ name: String, uid: String?, arguments: JSON, account: JSON?
  ) async throws(CustomFailure) -> Bool?
}

/// Why an operation of a script failed.
public struct CustomFailure: Error, Sendable {
  /// The row's fault, without secrets.
  public let fault: RowFault
  /// Whether another try may get past it.
  public let isRetryable: Bool
  /// Whether the operation may have been carried out all the same.
  public let isOutcomeUnknown: Bool

  /// Describes a failure.
  public init(_ fault: RowFault, isRetryable: Bool = false, isOutcomeUnknown: Bool = false) {
    self.fault = fault
    self.isRetryable = isRetryable
    self.isOutcomeUnknown = isOutcomeUnknown
  }
}
