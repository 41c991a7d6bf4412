import HTTP
import Lua

/// The rows of a batch that a script is currently planning, and the time each has taken.
public final class RowPlanning {
  private struct Turn {
    let job: Job
    var seconds = 0
  }

  /// The provider of the rows; nil when the script plans none.
  public var planner: (any RowPlanner)?
  /// The time limit for planning one row, in seconds.
  public var secondsPerRow = 30
  private var turns: [Int64: Turn] = [:]
  private var overdue: Set<Int64> = []
  private var isTicking = false

  /// Records that a job begins to plan a row.
  func begin(_ row: Int64, _ job: Job, on interpreter: Interpreter) {
    turns[row] = Turn(job: job)
    tick(interpreter)
  }

  /// Records the end of planning a row; true when its time had expired.
  func end(_ row: Int64) -> Bool {
    turns[row] = nil
    return overdue.remove(row) != nil
  }

  /// The row whose planning a stop has ended, with the traceback.
  public var stopped: (row: Int64, traceback: String)? {
    for (row, turn) in turns where turn.job.ended {
      return (row, turn.job.coroutine.traceback)
    }
    return nil
  }

  /// Counts only seconds in which the loop could run, so that one row's long computation does not use up the time
  /// of other rows.
  private func tick(_ interpreter: Interpreter) {
    guard !isTicking else { return }
    isTicking = true
    interpreter.actor.loop.schedule(after: .seconds(1)) { [weak self, weak interpreter] in
      guard let self, let interpreter else { return }
      isTicking = false
      for (row, turn) in turns {
        turns[row]?.seconds = turn.seconds + 1
        guard turn.seconds + 1 > secondsPerRow, !turn.job.ended else { continue }
        overdue.insert(row)
        turn.job.effect?.cancel()
      }
      if !turns.isEmpty { tick(interpreter) }
    }
  }
}
