import Host
import IdentityToolkit
import System

/// A row with its operations and steps as text for users, with secrets masked.
struct RowDescription: Sendable {
  private let record: RowRecord
  private let run: BatchRun
  private let secrets: RowSecrets

  /// Creates the description of a row; the record must include the steps.
  init(_ record: RowRecord, of run: BatchRun) {
    self.record = record
    self.run = run
    secrets = RowSecrets(record.row, steps: record.steps)
  }

  /// The description in several lines.
  var text: String {
    let row = record.row
    var lines = [
      "row \(row.origin), line \(row.line), key \(PlanFaults.brief(row.key)) of \(run.title)"
    ]
    lines.append("state: \(record.state.rawValue)")
    if let fault = record.fault { lines.append("cause: \(shown(fault))") }
    if let reason = row.reason { lines.append("why: \(secrets.clean(reason).printable)") }
    if let input = row.input { lines.append("in: \(shown(.object(input)))") }
    switch row.decision {
    case .run(let operations):
      for operation in operations { lines.append("do: \(shown(operation.json))") }
    case .skip: lines.append("the plan skips it")
    case .refuse(let fault):
      lines.append("the plan refuses it: \(shown(fault))")
    }
    // Steps that take others back have negative numbers, and come after all others.
    let order = record.steps.sorted {
      ($0.intent.step < 0 ? 1 : 0, $0.intent.step) < ($1.intent.step < 0 ? 1 : 0, $1.intent.step)
    }
    for step in order {
      lines += self.lines(of: step)
    }
    if record.state == .done, record.steps.isEmpty {
      lines.append("no call was made: everything was in place already")
    }
    return lines.map { "\($0)\n" }.joined()
  }

  private func lines(of step: StepRecord) -> [String] {
    let intent = step.intent
    let name =
      StepIntent.stepTakenBack(by: intent.step).map { "taking step \($0) back" }
      ?? "step \(intent.step)"
    var lines = ["\(name): \(shown(intent.change.json))"]
    lines.append("  intended \(Timestamp.text(milliseconds: intent.at))")
    if let outcome = step.outcome {
      var line = "  \(outcome.result.rawValue) \(Timestamp.text(milliseconds: outcome.at))"
      line += " after \(outcome.attempts) \(outcome.attempts == 1 ? "call" : "calls")"
      line += " of \(outcome.microseconds / 1000) ms"
      if let fault = outcome.fault { line += ": \(shown(fault))" }
      lines.append(line)
    } else {
      lines.append("  in doubt: the runner ended before the response; the next run checks")
    }
    if let before = intent.before {
      lines.append("  before: \(shown(before))")
    } else if intent.change.uid != nil {
      lines.append("  before: there was no account")
    }
    return lines
  }

  private func shown(_ json: JSON) -> String { secrets.masked(json).encoded().printable }

  private func shown(_ fault: RowFailure) -> String {
    let fault = secrets.clean(fault)
    return "\(fault.code): \(fault.message)".printable
  }
}

extension RowDescription {
  /// Reads the row with a number in the input; nil if the run does not have it.
  init?(
    _ number: Int64, of run: BatchRun, _ journal: any BatchJournal
  ) async throws(BatchProblem) {
    guard run.kind.isUndo else {
      var query = RowQuery()
      query.withSteps = true
      let found = try await journal.rows(run, query, after: number - 1, atMost: 1)
      guard let record = found.first, record.row.number == number else { return nil }
      self.init(record, of: run)
      return
    }
    var pages = RowPages(journal, run, withSteps: true)
    while let page = try await pages.next() {
      guard let record = page.first(where: { $0.row.origin == number }) else { continue }
      self.init(record, of: run)
      return
    }
    return nil
  }
}
