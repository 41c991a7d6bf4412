import HTTP
import Lua

/// The rows of a batch that a script is planning at this moment, and how long they have been waiting.
public final class RowPlanning {
  /// A row that is being planned.
  private struct Turn {
    let job: Job
    var seconds = 0
  }

  /// Whoever has rows planned by the script; nil when none are.
  public var planner: (any RowPlanner)?
  /// How many seconds the plan of one row may wait.
  public var secondsPerRow = 30
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

  /// The row that a stop has ended in the middle of its plan, with the calls that led there.
  public var stopped: (row: Int64, traceback: String)? {
    for (row, turn) in turns where turn.job.ended {
      return (row, turn.job.coroutine.traceback)
    }
    return nil
  }

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
        guard turn.seconds + 1 > secondsPerRow, !turn.job.ended else { continue }
        overdue.insert(row)
        turn.job.effect?.cancel()
      }
      if !turns.isEmpty { tick(interpreter) }
    }
  }
}
