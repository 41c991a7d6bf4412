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

  /// How many rows were taken back.
  var rows: Int64 { taken.rows[.done] ?? 0 }
  /// How many are still to be.
  var open: Int64 { (taken.rows[.waiting] ?? 0) + (taken.rows[.claimed] ?? 0) }

  /// What is so, in one line.
  var summary: String {
    "\(run.subject) is undone: run \(undo.number) took \(BatchDisplay.rows(rows)) of it back"
  }

  /// What is so, and which commands do something about it.
  ///
  /// - Parameter plan: The plan as the next command takes it, with the options of the target behind it.
  /// - Parameter next: What the same command does once the run is not undone any more, unless it goes on with it.
  func words(_ plan: (name: String, target: String), then next: String? = nil) -> String {
    var text = "\(summary)\n"
    if open > 0 {
      text += "run \(undo.number) has \(BatchDisplay.rows(open)) left: "
      text += "luath batch undo \(plan.name)\(plan.target) --execute goes on with it\n"
    }
    text += "to do it again: luath batch undo \(plan.name) --run \(undo.number)\(plan.target) "
    text += "--execute takes the undo back"
    let rest = "\(BatchDisplay.rows(left)) that \(left == 1 ? "is" : "are") left"
    if let next = next ?? (left > 0 ? "goes on with the \(rest)" : nil) {
      text += ", and then the same command \(next)"
    }
    return text + "\n"
  }
}
