import Batch

/// What a person may do next, when a run has ended or stands still.
struct BatchNextStep {
  private let run: BatchRun
  /// The plan's path as a shell takes it.
  private let plan: String
  /// What tells the run from the others of its journal.
  private let choice: String
  /// What says the target, behind a space.
  private let target: String
  /// The command that goes on with it.
  private let again: String

  /// - Parameter isOnly: Whether the journal has no other run, so that none needs to be chosen.
  init(after run: BatchRun, of plan: String, target: String, isOnly: Bool, again: String) {
    self.run = run
    self.plan = plan
    self.target = target
    choice = isOnly ? "" : " --run \(run.number)"
    self.again = again
  }

  /// One line by how many rows are left, failed and done; empty when there is nothing to do.
  func words(left: Int64, failed: Int64, done: Int64) -> String {
    if left > 0 {
      let rows = left == 1 ? "row that is" : "rows that are"
      return "next: \(again) goes on with the \(left) \(rows) left\n"
    }
    if failed > 0 {
      return "next: luath batch export \(plan) --failed\(choice) tells why, "
        + "luath batch retry \(plan)\(choice)\(target) --execute tries them again\n"
    }
    guard done > 0 else { return "" }
    return "next: luath batch verify \(plan)\(target) reads the accounts again, "
      + "luath batch undo \(plan)\(choice)\(target) \(inverse)\n"
  }

  /// What an undo of the run does.
  private var inverse: String {
    switch run.kind {
    case .run: "takes everything back"
    case .undo: "does again what this undo took back"
    case .finalize: "brings the deleted accounts back"
    }
  }
}
