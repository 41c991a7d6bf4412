import Batch

/// A run that another one has taken back, so that what it did is not there any more.
struct BatchUndone {
  let run: BatchRun
  let undo: BatchRun
  /// Rows of the run that wait.
  let left: Int64
  private let taken: BatchTally

  /// What took a run back; nil when nothing did.
  init?(_ run: BatchRun, of journal: any BatchJournal) async throws(BatchProblem) {
    guard let undo = try await journal.runs().undo(of: run) else { return nil }
    self.run = run
    self.undo = undo
    let tally = try await journal.tally(run)
    left = (tally.rows[.waiting] ?? 0) + (tally.rows[.claimed] ?? 0)
    taken = try await journal.tally(undo)
  }

  /// What is so, and which commands do something about it.
  ///
  /// - Parameter plan: The plan as the next command takes it, with the options of the target behind it.
  func words(_ plan: (name: String, target: String)) -> String {
    let done = taken.rows[.done] ?? 0
    let open = (taken.rows[.waiting] ?? 0) + (taken.rows[.claimed] ?? 0)
    var text = "\(run.title) is undone: run \(undo.number) took \(BatchDisplay.rows(done)) of it "
    text += "back\n"
    if open > 0 {
      text += "run \(undo.number) has \(BatchDisplay.rows(open)) left: "
      text += "luath batch undo \(plan.name)\(plan.target) --execute goes on with it\n"
    }
    return text
      + "to do it again: luath batch undo \(plan.name) --run \(undo.number)\(plan.target) --execute "
      + "takes the undo back\n"
  }
}
