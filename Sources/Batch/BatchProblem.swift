/// Why a batch cannot go on as a whole; what concerns one row alone is a `RowFault`.
public struct BatchProblem: Error, Sendable {
  /// What decides about the exit code.
  public enum Code: Sendable {
    /// The command line, the plan or the journal does not fit what is asked.
    case usage
    /// A script or a plan does not load.
    case notLoaded
    /// The machine, the network, the journal or the target could not do it.
    case unavailable
    /// Somebody else runs the batch.
    case inUse
  }

  /// What decides about the exit code.
  public let code: Code
  /// What is wrong, without secrets.
  public let message: String
  /// What to do.
  public let hint: String

  /// Describes what is wrong and what to do.
  public init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}

/// Why a row was refused, left out, or failed.
public struct RowFault: Error, Sendable, Equatable {
  /// A word for machines: an error code such as `credentialAlreadyInUse`, or one of luath's own such as
  /// `malformedRow`, `duplicateKey`, `identityClaimedTwice`.
  public let code: String
  /// What happened, for a person and without secrets.
  public let message: String

  /// Describes a fault.
  public init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
  }
}
