import HTTP
import Storage
import System

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
    /// The user ended the work early.
    case interrupted
  }

  /// The kind of problem; it decides the exit code.
  let code: Code
  /// What is wrong, without secrets.
  public let message: String
  /// What the user should do.
  public let hint: String

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

  init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension RowFailure {
  /// Reads an error of a plan, journal or report: `code` and `message`.
  init(json: JSON) throws(RowFailure) {
    let reader = try MemberReader(
      json.object ?? [:], at: ["a fault"], names: ["code", "message"])
    self.init(try reader.text("code"), json["message"]?.string ?? "")
  }

  /// The error as an object with `code` and `message`.
  var json: JSON { ["code": .string(code), "message": .string(message)] }
}

extension BatchProblem {
  init(_ problem: QueueProblem) {
    let code: Code =
      switch problem.code {
      case .usage: .usage
      case .unavailable: .unavailable
      case .inUse: .inUse
      }
    self.init(code, problem.message, hint: problem.hint)
  }

  init(_ error: HTTPError) { self.init(.unavailable, error.message, hint: error.hint) }

  init(_ error: JournalError) {
    switch error.code {
    case .inUse:
      self.init(
        .inUse, error.message,
        hint: "see how far it is with 'luath batch status', end it with 'luath batch ctl … drain', "
          + "or wait for it: the same command then continues")
    case .foreign, .newer, .unusablePath: self.init(.usage, error.message, hint: error.hint)
    case .damaged, .readOnly, .full, .moved, .inputOutput, .internalFailure:
      self.init(.unavailable, error.message, hint: error.hint)
    }
  }
}
