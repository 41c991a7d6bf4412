import HTTP
import Host

/// Executes further runs of an existing journal; shared by `retry`, `undo` and `finalize`.
struct BatchFollowUp: Sendable {
  static let executeOption = Option(
    "execute", nil, "change the accounts; after an interruption the same command continues")
  static let options =
    [executeOption]
    + BatchRunOptions.targetOptions + BatchSubject.options + [RequiredSignature.option]
    + BatchRunOptions.paceOptions

  let arguments: ParsedArguments
  let console: Console
  let subject: BatchSubject
  let options: BatchRunOptions
  private let required: RequiredSignature?

  init(
    _ arguments: ParsedArguments, _ console: Console, _ command: String
  ) throws(UsageError) {
    self.arguments = arguments
    self.console = console
    subject = try BatchSubject(arguments, console, command)
    options = try BatchRunOptions(arguments, console)
    required = try RequiredSignature(arguments, console)
  }

  /// Runs a command that needs the target even without `--execute`.
  static func run(
    _ name: String, _ arguments: ParsedArguments, _ console: Console,
    _ body: (BatchFollowUp, any BatchJournal, ResolvedTarget) async throws(BatchProblem) ->
      ExitStatus
  ) async throws(UsageError) -> ExitStatus {
    let command = try BatchFollowUp(arguments, console, name)
    try BatchTarget.require(arguments, console, name)
    return await command.use { (journal, place) async throws(BatchProblem) in
      try await body(command, journal, place)
    }
  }

  var isExecuted: Bool { arguments.flags.contains("execute") }

  /// Opens the journal and the target, and passes both to `body`.
  func use(
    _ body: (any BatchJournal, ResolvedTarget) async throws(BatchProblem) -> ExitStatus
  ) async -> ExitStatus {
    await BatchSubject.report(console) { () async throws(BatchProblem) in
      try await useJournal { (journal) async throws(BatchProblem) in
        let place: ResolvedTarget
        do throws(CommandFailure) {
          place = try await BatchTarget.place(arguments, journal.header, console)
        } catch {
          return .failure(error)
        }
        return .success(try await body(journal, place))
      }
    }
  }

  /// Opens the journal, and passes it to `body` if its plan has the required signature.
  func useJournal<Value: Sendable>(
    _ body: (any BatchJournal) async throws(BatchProblem) -> Value
  ) async throws(BatchProblem) -> Value {
    try await subject.use { (journal) async throws(BatchProblem) in
      try subject.kept(journal.header).require(options.outputs)
      _ = try await signature(of: journal)
      return try await body(journal)
    }
  }

  /// The required signature of the journal's plan, from the file beside the plan or from an earlier run of it; nil if
  /// none is required.
  private func signature(
    of journal: any BatchJournal
  ) async throws(BatchProblem) -> PlanSignature? {
    guard let required else { return nil }
    let signatures =
      try await journal.sessions().compactMap(\.signature)
      + PlanSignatureFile.read(ofPlan: subject.name, console)
    return try required.check(signatures, of: journal.digest, subject.name)
  }

  /// Continues an unfinished run, or without `--execute` reports it; nil if no row is left.
  func goOn(
    with begun: BatchRun, of journal: any BatchJournal, _ place: ResolvedTarget
  ) async throws(BatchProblem) -> ExitStatus? {
    let left = try await JournalSummary(begun, of: journal).left
    guard left > 0 else { return nil }
    console.writeOutput("\(begun.subject) has \(BatchDisplay.rows(left)) left\n")
    guard isExecuted else {
      let choice = subject.number.map { " --run \($0)" } ?? ""
      console.writeOutput("next: \(subject.command(begun))\(choice) continues\n")
      return .code(.ok)
    }
    return try await execute(begun, of: journal, place)
  }

  /// Creates a run that undoes or finalizes another one, and executes it; without `--execute` only previews it.
  ///
  /// - Parameter rows: Returns a new iteration over the rows at each call.
  func begin(
    _ kind: BatchRun.Kind, of run: BatchRun,
    _ rows: () -> @Sendable () async throws(BatchProblem) -> PlannedRow?,
    of journal: any BatchJournal, _ place: ResolvedTarget
  ) async throws(BatchProblem) -> ExitStatus {
    guard isExecuted else {
      let undoable =
        kind.isUndo ? try await undoable(rows(), of: journal, place) : []
      let preview = try await preview(rows(), undoable, of: journal, place)
      let verb = kind.isUndo ? "undone" : "finalized"
      console.writeOutput(
        "\(run.title): \(preview.text(verb))"
          + "nothing was changed; the same command with --execute does it\n")
      return .code(preview.kept.count > 0 ? .failed : .ok)
    }
    let begun = try await journal.add(kind, of: run.number, rows: rows())
    return try await execute(begun, of: journal, place)
  }

  /// Executes the pending rows of a run and prints the summary.
  func execute(
    _ run: BatchRun, of journal: any BatchJournal, _ place: ResolvedTarget
  ) async throws(BatchProblem) -> ExitStatus {
    let names = try await journal.scriptOperations(of: run)
    let execution = BatchExecution(
      console: console,
      context: context(of: place), options: options,
      socketPath: subject.socketPath, plan: subject.name, subject: subject.shown,
      script: try BatchTarget.script(of: journal.header, names, console),
      signature: try await signature(of: journal))
    let (end, status) = try await execution.run(run, of: journal)
    let next = BatchNextStep(
      after: run, of: subject.shown, target: subject.target,
      isOnly: try await journal.runs().count == 1,
      again: "the same command")
    let summary = try? await JournalSummary(run, of: journal)
    console.writeOutput(
      end.summary(of: subject.shown, then: next, summary?.failures ?? CauseGroups()))
    for line in summary?.causes ?? [] { console.writeOutput("  \(line)\n") }
    if let problem = end.problem { throw problem }
    return status
  }

  func preview(
    _ rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?,
    _ undoable: Set<String>, of journal: any BatchJournal, _ place: ResolvedTarget
  ) async throws(BatchProblem) -> FollowUpPreview {
    let progress = RowProgress()
    let preview = try await progress.show(console, "looked at") { () async throws(BatchProblem) in
      try await BatchSubject.withReader(
        place, tenantID: journal.header.tenantID, console, trace: trace != nil
      ) { (look) async throws(BatchProblem) in
        try await FollowUpPreview(rows, undoable: undoable, progress, look: look)
      }
    }
    if progress.isCancelled {
      throw BatchProblem(.interrupted, "interrupted: nothing was changed", hint: "run it again")
    }
    return preview
  }

  /// The custom operations for which the script has an `undo`; empty if the rows have none.
  private func undoable(
    _ rows: @Sendable () async throws(BatchProblem) -> PlannedRow?, of journal: any BatchJournal,
    _ place: ResolvedTarget
  ) async throws(BatchProblem) -> Set<String> {
    let progress = RowProgress()
    let names = try await progress.show(console, "read") { () async throws(BatchProblem) in
      try await PlannedRow.scriptOperations(rows, progress)
    }
    let script = try BatchTarget.script(of: journal.header, names, console)
    guard let script else { return [] }
    let execution = BatchExecution(
      console: console, context: context(of: place),
      options: options, socketPath: nil, plan: subject.name, subject: subject.shown, script: script)
    let operations = try await execution.operations(of: journal.header)
    let undoable = await operations?.undoable ?? []
    await operations?.close()
    return undoable
  }

  private func context(of place: ResolvedTarget) -> ScriptContext {
    place.context(
      memory: 0, console, RealProjectConsent.batchGuard(of: place, arguments, console), trace: trace
    )
  }

  private var trace: (@Sendable (String) -> Void)? {
    guard arguments.flags.contains("trace") else { return nil }
    return { [console] line in console.writeError("trace: \(line)\n") }
  }
}

extension FollowUpPreview {
  func text(_ verb: String) -> String {
    var text = "\(rows - kept.count) of \(BatchDisplay.rows(rows)) would be \(verb)\n"
    for (kind, count) in calls.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      text += "  \(count) × \(kind.printable)\n"
    }
    if kept.count > 0 {
      let words = kept.count == 1 ? "it is" : "they are"
      text += "\(BatchDisplay.rows(kept.count)) would be left as \(words):\n"
      for line in kept.lines { text += "  \(line)\n" }
    }
    if !lost.isEmpty {
      text += "what cannot be restored:\n"
      for (reason, count) in lost.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
        text += "  \(reason.printable) (\(BatchDisplay.rows(count)))\n"
      }
    }
    return text
  }
}
