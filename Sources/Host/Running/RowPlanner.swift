public import Client
public import System

/// The answer to a planning worker's request for a row.
public enum PlanTurn {
  case row(Int64, JSONObject)
  /// No row yet: earlier rows must be finished first.
  case later
  case end
}

/// Provides the rows of a batch that a script plans; called on the thread of the script's loop.
public protocol RowPlanner: AnyObject {
  func next() -> PlanTurn

  /// Calls `ready` once when `next` may return another row, but not before this function returns.
  func whenReady(_ ready: @escaping () -> Void)

  /// Receives the script's plan for a row: `key`, one of `do`, `skip` and `refused`, and `why`.
  func planned(_ row: Int64, _ answer: JSONObject)

  /// Looks up the accounts of several identifiers for a row; calls `done` once, synchronously or later, with a list
  /// of accounts per identifier.
  func lookUp(
    _ identifiers: [UserIdentifier], for row: Int64,
    _ done: @escaping (Result<[[UserRecord]], AdminError>) -> Void)
}
