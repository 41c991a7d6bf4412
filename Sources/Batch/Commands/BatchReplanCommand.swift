import Host
import System

/// `luath batch replan`: plans failed rows of a run again, with its script and its rows as they were.
enum BatchReplanCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch replan",
    summary: "Plans the rows again whose accounts were changed after the plan; changes no account.",
    operands: "PLAN|JOURNAL",
    options: [
      Option(
        "output", "PLAN", "the plan to write", default: "PLAN.again.ndjson beside PLAN", letter: "o"
      )
    ] + RowSelection.options + PlanCommand.planning + BatchSubject.options,
    examples: [
      "luath batch replan rows.plan.ndjson --target trial",
      "luath batch replan rows.plan.ndjson --code userNotFound -o gone.ndjson --target trial",
    ],
    exits: PlanCommand.exits)

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let subject = try BatchSubject(arguments, console, "luath batch replan")
    let selection = try RowSelection(arguments)
    let command = try PlanCommand(
      arguments, console, "luath batch replan", output: output(for: subject.name))
    let found: (header: PlanHeader, rows: [InputRow])
    do throws(BatchProblem) {
      found = try await subject.use { (journal) async throws(BatchProblem) in
        (journal.header, try await chosen(selection, of: journal, subject))
      }
    } catch {
      return CommandFailure(error).report(console)
    }
    guard !found.rows.isEmpty else {
      console.report(
        selection.isAll
          ? "no row failed because its accounts were changed after the plan"
          : "no failed row is chosen",
        hint: "luath batch export \(subject.shown) --failed has the failed rows and their codes")
      return .code(.nothing)
    }
    let (header, rows) = found
    let source = PlanCommand.Source(
      script: header.script, input: header.input, scope: header.scope, header: header,
      kept: subject.kept(header)
    ) { () throws(BatchProblem) in PlannedInput(rows, header.columns) }
    return await command.run(source)
  }

  /// `link.again.ndjson` for `link.ndjson` and for its journal.
  private static func output(for name: String) -> String {
    let ending = [".ndjson", ".journal"].first { name.hasSuffix($0) } ?? ""
    return name.dropLast(ending.count) + ".again.ndjson"
  }

  /// The input of the chosen failed rows; without a choice, of those whose accounts were changed after the plan.
  private static func chosen(
    _ selection: RowSelection, of journal: any BatchJournal, _ subject: BatchSubject
  ) async throws(BatchProblem) -> [InputRow] {
    try selection.check(journal.header.columns)
    let run = try await subject.run(of: journal) { $0.kind == .run }
    guard run.kind == .run else {
      throw BatchProblem(
        .usage, "\(run.title) has no rows of the input", hint: "replan takes the plan's own run")
    }
    var rows: [InputRow] = []
    var pages = RowPages(journal, run, states: [.failed])
    while let page = try await pages.next() {
      for record in page {
        let isChosen =
          selection.isAll
          ? record.fault?.code == RowFailure.changedSincePlan : selection.has(record)
        guard isChosen, let fields = record.row.input else { continue }
        rows.append(
          InputRow(
            number: Int64(rows.count + 1), line: record.row.line, fields: .success(fields)))
      }
    }
    return rows
  }
}

/// Rows of an earlier plan as an input.
private final class PlannedInput: RowReader {
  let columns: [String]
  private var rows: ArraySlice<InputRow>

  init(_ rows: [InputRow], _ columns: [String]) {
    self.rows = rows[...]
    self.columns = columns
  }

  func next() throws(BatchProblem) -> InputRow? { rows.popFirst() }
}
