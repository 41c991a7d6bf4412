public import Admin
public import Encoding
import HTTP
import Lua

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

/// The rows that a script is planning at this moment, and how long they have been waiting.
final class OpenTurns {
  /// A row that is being planned.
  private struct Turn {
    let job: Job
    var seconds = 0
  }

  private var turns: [Int64: Turn] = [:]
  private var overdue: Set<Int64> = []
  private var isTicking = false

  /// Takes note of a row that a job begins with.
  func begin(_ row: Int64, _ job: Job, on interpreter: Interpreter) {
    turns[row] = Turn(job: job)
    tick(interpreter)
  }

  /// Takes note of a row's end; whether its time was over.
  func end(_ row: Int64) -> Bool {
    turns[row] = nil
    return overdue.remove(row) != nil
  }

  /// The row whose job has ended within it, as it was stopped there.
  var stopped: (row: Int64, traceback: String)? {
    for (row, turn) in turns where turn.job.ended {
      return (row, turn.job.coroutine.traceback)
    }
    return nil
  }

  /// The rows that were begun and have not ended.
  var open: [Int64] { turns.keys.sorted() }

  /// Counts seconds in which the loop was free to run them, so that one row that computes long does not use up
  /// the time of others.
  private func tick(_ interpreter: Interpreter) {
    guard !isTicking else { return }
    isTicking = true
    interpreter.actor.loop.schedule(after: .seconds(1)) { [weak self, weak interpreter] in
      guard let self, let interpreter else { return }
      isTicking = false
      for (row, turn) in turns {
        turns[row]?.seconds = turn.seconds + 1
        guard turn.seconds + 1 > interpreter.secondsPerTurn, !turn.job.ended else { continue }
        overdue.insert(row)
        turn.job.effect?.cancel()
      }
      if !turns.isEmpty { tick(interpreter) }
    }
  }
}
