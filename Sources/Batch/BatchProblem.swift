/// An error that stops a batch as a whole; an error of one row is a `RowFailure`.
public struct BatchProblem: Error, Sendable {
  /// The kind of problem; it decides the exit code.
  enum Code: Sendable {
    /// The command line does not fit the plan or the journal.
    case usage
    /// A script or a plan cannot be loaded.
    case notLoaded
    /// The machine, the network, the journal or the target is not available.
    case unavailable
    /// Another process runs the batch.
    case inUse
  }

  /// The kind of problem; it decides the exit code.
  let code: Code
  /// What is wrong, without secrets.
  public let message: String
  /// What the user should do.
  public let hint: String

  /// Creates a problem from its parts.
  init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}

/// Why a row was refused, skipped, or failed.
struct RowFailure: Error, Sendable, Equatable {
  /// A code for programs: an error code such as `credentialAlreadyInUse`, or one of luath's own such as
  /// `malformedRow`, `duplicateKey`, `identityClaimedTwice`.
  let code: String
  /// The message for users, without secrets.
  let message: String

  /// Creates an error from its parts.
  init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
  }
}
