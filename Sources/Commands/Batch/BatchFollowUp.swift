import Batch
import Scripting

/// Carries out a run of a journal that has one already: what `retry`, `undo` and `finalize` share.
struct BatchFollowUp: Sendable {
  /// The options of all three.
  static let options =
    [Option("execute", nil, "change the accounts; the same command goes on after a break")]
    + BatchRunOptions.targetOptions + BatchSubject.options + BatchRunOptions.paceOptions

  let arguments: ParsedArguments
  let console: Console
  let subject: BatchSubject
  let options: BatchRunOptions

  init(
    _ arguments: ParsedArguments, _ console: Console, _ command: String
  ) throws(UsageError) {
    self.arguments = arguments
    self.console = console
    subject = try BatchSubject(arguments, console, command)
    options = try BatchRunOptions(arguments, console)
  }

  var isExecuted: Bool { arguments.flags.contains("execute") }

  /// Opens the journal and the target, and does something with both.
  func use(
    _ body: (any BatchJournal, Place) async throws(BatchProblem) -> ExitStatus
  ) async -> ExitStatus {
    await BatchSubject.report(console) { () async throws(BatchProblem) in
      try await subject.use { (journal) async throws(BatchProblem) in
        let place: Place
        do throws(CommandFailure) {
          place = try await BatchTarget.place(arguments, journal.header, console)
        } catch {
          return .failure(error)
        }
        return .success(try await body(journal, place))
      }
    }
  }

  /// Carries out what is left of a run and says how it ended.
  func execute(
    _ run: BatchRun, of journal: any BatchJournal, _ place: Place
  ) async throws(BatchProblem) -> ExitStatus {
    let names = try await journal.scriptOperations(of: run)
    let execution = BatchExecution(
      console: console,
      context: place.context(memory: 0, console, trace: trace), options: options,
      socketPath: subject.socketPath, subject: subject.shown,
      script: try BatchTarget.script(of: journal.header, names, console))
    let (end, status) = try await execution.run(run, of: journal)
    let next = BatchNextStep(
      after: run, of: subject.shown, isOnly: try await journal.runs().count == 1,
      again: "the same command")
    console.writeOutput(execution.summary(of: end, then: next))
    let summary = try await JournalSummary(run, of: journal)
    for line in summary.failures.lines { console.writeOutput("  \(line)\n") }
    if let problem = end.problem { throw problem }
    return status
  }

  /// What a follow-up would do, without doing it.
  func preview(
    _ rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?,
    of journal: any BatchJournal,
    _ place: Place
  ) async throws(BatchProblem) -> FollowUpPreview {
    try await BatchSubject.withReader(
      place, tenantID: journal.header.tenantID, console, trace: trace != nil
    ) { (look) async throws(BatchProblem) in
      try await FollowUpPreview(rows, look: look)
    }
  }

  private var trace: (@Sendable (String) -> Void)? {
    guard arguments.flags.contains("trace") else { return nil }
    return { [console] line in console.writeError("trace: \(line)\n") }
  }
}

extension FollowUpPreview {
  /// As a person reads it.
  func text(_ verb: String) -> String {
    var text = "\(rows - kept.count) of \(rows) rows would be \(verb)\n"
    for (kind, count) in calls.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      text += "  \(count) × \(kind.printable)\n"
    }
    if kept.count > 0 {
      text += "\(kept.count) rows would be left as they are:\n"
      for line in kept.lines { text += "  \(line)\n" }
    }
    if !lost.isEmpty {
      text += "what cannot be restored:\n"
      for (reason, count) in lost.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
        text += "  \(reason.printable) (\(count) \(count == 1 ? "row" : "rows"))\n"
      }
    }
    return text
  }
}
