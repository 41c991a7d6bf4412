import Host
import System

extension BatchEnd {
  /// Whether other processes have claimed rows of the run.
  ///
  /// This process has released its rows, so claimed rows belong to other processes.
  private var held: Int64 { own == nil ? 0 : status.tally.rows[.claimed] ?? 0 }

  /// The exit status of the process.
  ///
  /// In a shared run it counts the rows of all processes as they are at the end of this one.
  var exitStatus: ExitStatus {
    let rows = status.tally.rows
    if problem != nil { return .code(.unavailable) }
    if spentErrors { return .code(.failed) }
    // A drain after all rows had ended has no effect.
    let left = (rows[.waiting] ?? 0) + (rows[.claimed] ?? 0)
    if wasDrained, left > 0 { return .code(.interrupted) }
    if status.tally.failed + (rows[.refused] ?? 0) > 0 { return .code(.failed) }
    return .code(status.total + (rows[.skipped] ?? 0) == 0 ? .nothing : .ok)
  }

  /// The final output: the counts, why the run ended, and the next command.
  ///
  /// - Parameters:
  ///   - subject: The plan or journal, quoted for a shell.
  ///   - causes: The errors of the failed rows.
  func summary(
    of subject: String, then next: BatchNextStep, _ causes: CauseGroups = CauseGroups()
  ) -> String {
    guard isRecorded else {
      return
        "rows: the last calls are not on record, as the journal failed; the next run checks their outcomes\n"
        + "time: \(BatchDisplay.time(status.elapsed / .seconds(1)))\n"
        + "next: luath batch status \(subject) counts what is on record\n"
    }
    let rows = status.tally.rows
    func count(_ state: RowState) -> Int64 { rows[state] ?? 0 }
    let left = count(.waiting) + count(.claimed)
    var text = "rows: \(count(.done)) done"
    for (state, words) in [
      (RowState.failed, "failed"), (.halfDone, "half done"), (.skipped, "skipped"),
      (.refused, "refused by the plan"),
    ] where count(state) > 0 { text += ", \(count(state)) \(words)" }
    if left > held { text += ", \(left - held) left" }
    if held > 0 { text += ", \(held) under way elsewhere" }
    text += "\nsteps: \(BatchDisplay.steps(status.tally))"
    if let own {
      let rows = own.rows.values.reduce(0, +)
      text += "\nof these by this process: \(BatchDisplay.rows(rows)), steps: "
      text += BatchDisplay.steps(own)
    }
    text += "\ntime: \(BatchDisplay.time(status.elapsed / .seconds(1)))"
    if status.throttles > 0 { text += ", throttled \(status.throttles) times" }
    text += "\n"
    if spentErrors {
      text += "ended early: more rows failed than --max-errors allows (off lifts the limit)\n"
    } else if hasReachedLimit, left > 0 {
      text += "ended early: --limit is reached\n"
    } else if wasDrained, left > 0 {
      text +=
        "ended early, as requested: the journal records every row that was begun\n"
    }
    return text + next.words(left: left, held: held, status.tally, causes)
  }
}
