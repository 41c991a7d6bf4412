import Host


/// A run that another run has undone.
struct BatchUndone {
  let run: BatchRun
  let undo: BatchRun
  /// The unfinished rows of the run.
  let left: Int64
  private let taken: BatchTally

  /// Finds the undo of a run; nil if there is none.
  init?(_ run: BatchRun, of journal: any BatchJournal) async throws(BatchProblem) {
    guard let undo = try await journal.runs().undo(of: run) else { return nil }
    self.run = run
    self.undo = undo
    let tally = try await journal.tally(run)
    left = (tally.rows[.waiting] ?? 0) + (tally.rows[.claimed] ?? 0)
    taken = try await journal.tally(undo)
  }

  /// The number of rows undone.
  var rows: Int64 { taken.rows[.done] ?? 0 }
  /// The number of rows still to undo.
  var open: Int64 { (taken.rows[.waiting] ?? 0) + (taken.rows[.claimed] ?? 0) }

  /// One line that says that the run is undone.
  var summary: String {
    "\(run.subject) is undone: run \(undo.number) took \(BatchDisplay.rows(rows)) of it back"
  }

  /// The summary, with the commands that continue or undo the undo.
  ///
  /// - Parameter plan: The plan for suggested commands, and the target options after it.
  /// - Parameter next: What the same command does once the undo is undone; nil if it continues the run.
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
