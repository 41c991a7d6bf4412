import System

/// A summary of one run in a journal.
struct JournalSummary: Sendable {
  let run: BatchRun
  /// The numbers of rows and steps.
  let tally: BatchTally
  /// The errors of failed rows.
  private(set) var failures = CauseGroups()
  /// The errors of half-done rows.
  private(set) var halves = CauseGroups()
  /// The errors of rows that the plan refused.
  private(set) var refusals = CauseGroups()

  /// Creates a summary without causes.
  init(_ run: BatchRun, _ tally: BatchTally) {
    self.run = run
    self.tally = tally
  }

  /// Reads the summary of a run from its journal.
  init(_ run: BatchRun, of journal: any BatchJournal) async throws(BatchProblem) {
    self.run = run
    tally = try await journal.tally(run)
    var pages = RowPages(journal, run, states: [.failed, .halfDone, .refused])
    while let page = try await pages.next() {
      for record in page {
        let fault = record.cause ?? RowFailure("unknown", "no cause was recorded")
        switch record.state {
        case .failed: failures.add(fault, of: record.row)
        case .halfDone: halves.add(fault, of: record.row)
        default: refusals.add(fault, of: record.row)
        }
      }
    }
  }

  /// A line for each error of half-done and failed rows.
  var causes: [String] { halves.lines + failures.lines }

  /// The number of unfinished rows.
  var left: Int64 { (tally.rows[.waiting] ?? 0) + (tally.rows[.claimed] ?? 0) }

  /// The summary as text for users.
  var text: String {
    func rows(_ state: RowState) -> Int64 { tally.rows[state] ?? 0 }
    var lines: [String] = []
    let states: [(RowState, String)] = [
      (.done, "done"), (.failed, "failed"), (.halfDone, "half done"),
      (.skipped, "skipped by the plan"), (.refused, "refused by the plan"),
    ]
    let causes: [RowState: CauseGroups] = [
      .failed: failures, .halfDone: halves, .refused: refusals,
    ]
    if left > 0 { lines.append(Self.line(left, "waiting")) }
    for (state, words) in states where rows(state) > 0 {
      lines.append(Self.line(rows(state), words))
      lines += (causes[state] ?? CauseGroups()).lines.map { "            \($0)" }
    }
    let steps: [(StepOutcome.Result, String)] = [
      (.done, "done"), (.reconciled, "done, as a look-up showed"), (.already, "in place already"),
      (.failed, "failed"), (.takenBack, "taken back"),
    ]
    let ends = steps.compactMap { result, words in
      tally.steps[result].flatMap { $0 > 0 ? "\($0) \(words)" : nil }
    }
    if !ends.isEmpty { lines.append("  steps: \(ends.joined(separator: ", "))") }
    return lines.map { "\($0)\n" }.joined()
  }

  private static func line(_ count: Int64, _ words: String) -> String {
    let digits = String(count)
    return "  \(String(repeating: " ", count: max(0, 7 - digits.count)))\(digits) \(words)"
  }
}

extension BatchRun {
  /// The run's description for users.
  var title: String {
    switch kind {
    case .run: "run \(number)"
    case .undo: "run \(number), which undoes run \(of ?? 0)"
    case .undoRows: "run \(number), which undoes rows of run \(of ?? 0)"
    case .finalize: "run \(number), which ends the merges of run \(of ?? 0)"
    }
  }

  /// The run's description as the subject of a sentence.
  var subject: String { kind == .run ? title : "\(title)," }
}

/// When a part of an account was set, ordered by run, row and step: the rows of one account are run in their order.
struct Moment: Comparable, BitwiseCopyable {
  let run: Int64
  let row: Int64
  let step: Int

  static func < (one: Moment, other: Moment) -> Bool {
    (one.run, one.row, one.step) < (other.run, other.row, other.step)
  }
}

/// An index of when each part of each account was set, in a file to save memory.
final class LatestMoments {
  private var index: NumberIndex<Moment>

  init() throws(BatchProblem) {
    do throws(SystemError) { index = try NumberIndex() } catch { throw Self.problem(error) }
  }

  func note(_ uid: String, _ facet: String, _ moment: Moment) throws(BatchProblem) {
    do throws(SystemError) { try index.add(Self.number(uid, facet), moment) } catch {
      throw Self.problem(error)
    }
  }

  /// Ends adding; required before `isSet`.
  func finish() throws(BatchProblem) {
    do throws(SystemError) { try index.flush() } catch { throw Self.problem(error) }
  }

  func isSet(_ uid: String, _ facet: String, after moment: Moment) -> Bool {
    index.values(of: Self.number(uid, facet)).contains { $0 > moment }
  }

  /// A hash of a part of an account; it differs between processes, because `Hasher` is seeded randomly.
  private static func number(_ uid: String, _ facet: String) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(ExactString(uid))
    hasher.combine(ExactString(facet))
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private static func problem(_ fault: SystemError) -> BatchProblem {
    BatchProblem(
      .unavailable, "an index of the changes cannot be written: \(fault.message)",
      hint: "set TMPDIR to a folder with free space: about 50 bytes for each field that was changed"
    )
  }
}
