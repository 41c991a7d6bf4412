public import Admin
public import Encoding

/// What a worker of a plan gets when it asks for a row.
public enum PlanTurn {
  /// A row by its number.
  case row(Int64, JSONObject)
  /// None as yet: those before must be finished first.
  case later
  /// None any more.
  case end
}

/// Whoever has the rows of a batch planned by a script; called on the thread of the script's loop.
public protocol RowPlanner: AnyObject {
  /// The next row.
  func next() -> PlanTurn

  /// Calls `ready` once when it makes sense to ask for a row again, but not before it returns.
  func whenReady(_ ready: @escaping () -> Void)

  /// Takes what the script says about a row: `key`, and `do`, `skip` or `refused`, and `why`.
  func planned(_ row: Int64, _ answer: JSONObject)

  /// Looks up what several identifiers name, for a row; calls `done` once, at once or later, with the accounts
  /// of each.
  func lookUp(
    _ identifiers: [UserIdentifier], for row: Int64,
    _ done: @escaping (Result<[[UserRecord]], AdminError>) -> Void)
}
