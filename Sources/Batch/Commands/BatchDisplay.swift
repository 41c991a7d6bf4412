import Host
import SignIn
import System

/// Displays the progress of a run: on a terminal as a line that is overwritten, elsewhere as a line every 10 seconds.
struct BatchDisplay: Sendable {
  let console: Console
  let executor: Executor

  private static let plainEvery = 10

  /// Displays the progress until the task is canceled, and flushes `events` every second.
  func show(_ events: BatchEventFile?) async {
    let isLive = console.terminal?.isInteractive == true
    var seconds = 0
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      seconds += 1
      events?.flush()
      if isLive {
        let line = Self.line(await executor.status)
        let columns = console.outputColumns ?? 80
        console.writeError("\r\u{1B}[K\(line.prefix(max(20, columns - 1)))")
      } else if seconds % Self.plainEvery == 0 {
        console.writeError("luath: \(Self.line(await executor.status))\n")
      }
    }
    if isLive { console.writeError("\r\u{1B}[K") }
  }

  /// The progress line: how much is done, the rate, and the remaining time.
  static func line(_ status: BatchStatus) -> String {
    let (total, ended) = (status.total, status.ended)
    let part = total == 0 ? 1 : Double(ended) / Double(total)
    let width = 20
    let filled = Int(part * Double(width))
    let bar =
      String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    var text = "\(bar) \(ended)/\(rows(total))"
    for (state, words) in [(RowState.failed, "failed"), (.halfDone, "half done")] {
      if let count = status.tally.rows[state], count > 0 { text += ", \(count) \(words)" }
    }
    // The rate from before a pause or an outage does not apply now.
    if status.state != .paused, status.outage == nil { text += ", \(Int(status.rate.rounded()))/s" }
    switch status.state {
    case .paused: text += ", \((status.hold ?? .user).words)"
    case .draining: text += ", draining"
    case .running, .ended:
      if let left = status.secondsLeft, left > 0 { text += ", \(time(left)) left" }
    }
    if let outage = status.outage { text += ", \(words(outage))" }
    if let learned = status.learned { text += ", throttled to \(Int(learned.rounded()))/s" }
    return text
  }

  /// The outage of the journal, with the time of its start and the time limit.
  private static func words(_ outage: JournalOutage) -> String {
    let clock = { (time: Int64) in Timestamp.text(milliseconds: time).dropFirst(11).prefix(8) }
    return "the journal cannot be reached since \(clock(outage.since)), "
      + "and is tried until \(clock(outage.until)) UTC"
  }

  static func steps(_ tally: BatchTally) -> String {
    let parts = StepOutcome.Result.allCases.compactMap { result in
      tally.steps[result].flatMap { $0 > 0 ? "\($0) \(result.rawValue)" : nil }
    }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }

  /// `1 row`, `20 rows`.
  static func rows(_ count: Int64) -> String { "\(count) \(count == 1 ? "row" : "rows")" }

  /// `1 row is half done`.
  static func halfDone(_ count: Int64) -> String {
    "\(rows(count)) \(count == 1 ? "is" : "are") half done"
  }

  /// `45 s`, `12 min`, `3 h 20 min`.
  static func time(_ seconds: Double) -> String {
    // Cap at a year.
    let whole = Int(min(seconds, 31_536_000).rounded(.up))
    switch whole {
    case ..<90: return "\(whole) s"
    case ..<5400: return "\((whole + 30) / 60) min"
    default: return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }
  }
}

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

  /// What to do about rows that are half done, and one line for the rows that are left, failed or done.
  ///
  /// - Parameters:
  ///   - held: How many of the rows that are left other processes have claimed.
  ///   - causes: The errors of the failed rows.
  func words(
    left: Int64, held: Int64 = 0, _ tally: BatchTally, _ causes: CauseGroups
  ) -> String {
    if held > 0 { return words(left: left, held: held) }
    let halves = tally.rows[.halfDone] ?? 0
    guard halves > 0 else {
      return words(left: left, causes, done: tally.rows[.done] ?? 0)
    }
    let retry = "luath batch retry \(plan)\(choice)\(target) --code halfDone"
    let text =
      "\(BatchDisplay.halfDone(halves)): luath batch export \(plan) --half-done\(choice) shows why, "
    // With --execute, retry would run the rows that are left as well.
    guard left == 0 else {
      return text + "\(retry) lets \(halves == 1 ? "it" : "them") wait again\n"
        + words(left: left, CauseGroups(), done: 0)
    }
    return text + "\(retry) --execute takes back the rest and tries again\n"
      + words(left: 0, causes, done: 0)
  }

  /// What to do while other processes carry rows out.
  private func words(left: Int64, held: Int64) -> String {
    if left == held {
      return
        "next: other processes have the \(BatchDisplay.rows(left)) \(left == 1 ? "that is" : "that are") left; "
        + "luath batch status \(plan) shows how far they are\n"
    }
    return
      "next: other processes go on with the \(BatchDisplay.rows(left)) that are left; \(again) joins them\n"
  }

  private func words(left: Int64, _ causes: CauseGroups, done: Int64) -> String {
    if left > 0 {
      let rows = left == 1 ? "row that is" : "rows that are"
      return "next: \(again) continues with the \(left) \(rows) left\n"
    }
    if causes.count > 0 { return words(causes) }
    guard done > 0 else { return "" }
    return "next: luath batch verify \(plan)\(target) reads the accounts again, "
      + "luath batch undo \(plan)\(choice)\(target) \(inverse)\n"
  }

  /// What to do about failed rows, by their errors: `retry` would carry out again what is in doubt, and would find
  /// accounts that were changed after the plan as changed as before.
  private func words(_ causes: CauseGroups) -> String {
    let doubts = causes.count(of: RowFailure.inDoubt)
    let changed = run.kind == .run ? causes.count(of: RowFailure.changedSincePlan) : 0
    var text = "next: luath batch export \(plan) --failed\(choice) shows why"
    if causes.count > doubts + changed {
      text += ", luath batch retry \(plan)\(choice)\(target) --execute tries them again"
    }
    text += "\n"
    if changed > 0 {
      text += "  \(BatchDisplay.rows(changed)) whose accounts were changed after the plan: "
      text +=
        "luath batch replan \(plan)\(choice)\(target) plans \(changed == 1 ? "it" : "them") again\n"
    }
    if doubts > 0 {
      text +=
        "  \(BatchDisplay.rows(doubts)) in doubt: look at \(doubts == 1 ? "it" : "each"), then "
      text += "luath batch resolve \(plan)\(choice) settles \(doubts == 1 ? "it" : "them")\n"
    }
    return text
  }

  /// What an undo of the run would do.
  private var inverse: String {
    switch run.kind {
    case .run: "takes everything back"
    case .undo, .undoRows: "does again what this undo took back"
    case .finalize: "brings the deleted accounts back"
    }
  }
}
