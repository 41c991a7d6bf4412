import Host


/// The suggestion of the next command, after a run has ended or while it is idle.
struct BatchNextStep {
  private let run: BatchRun
  /// The plan's path, quoted for a shell.
  private let plan: String
  /// The `--run` option, if the journal has several runs.
  private let choice: String
  /// The target options, each after a space.
  private let target: String
  /// The command that continues the run.
  private let again: String

  /// - Parameter isOnly: Whether the journal has no other run.
  init(after run: BatchRun, of plan: String, target: String, isOnly: Bool, again: String) {
    self.run = run
    self.plan = plan
    self.target = target
    choice = isOnly ? "" : " --run \(run.number)"
    self.again = again
  }

  /// One line for the numbers of rows that are left, failed and done; empty if there is nothing to do.
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

  /// What an undo of the run would do.
  private var inverse: String {
    switch run.kind {
    case .run: "takes everything back"
    case .undo: "does again what this undo took back"
    case .finalize: "brings the deleted accounts back"
    }
  }
}
