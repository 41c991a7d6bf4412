public import System
import Glibc
public import Host

/// `luath batch run`: previews a plan, or executes it with `--execute`.
public struct BatchRunCommand: Sendable {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch run",
    summary: "Carries out a plan; without --execute it only shows what it would do.",
    operands: "PLAN",
    options: [BatchFollowUp.executeOption]
      + BatchRunOptions.targetOptions + BatchRunOptions.journalOptions
      + [
        BatchRunOptions.queueOption, RequiredSignature.option,
        Option(
          "shard", "I/N", "run only the I-th of N parts of the rows, with a separate journal",
          default: "all rows"),
        Option(
          "force", nil,
          "start this journal although the plan has another one: all rows are run again"),
      ]
      + BatchRunOptions.paceOptions,
    examples: [
      "luath batch run rows.plan.ndjson --target trial",
      "luath batch run rows.plan.ndjson --execute --target trial --rate 200 --max-errors 1%",
      "luath batch run rows.plan.ndjson --execute --target trial --shard $((JOB_COMPLETION_INDEX+1))/8",
    ],
    exits: BatchRunOptions.exits)

  private let arguments: ParsedArguments
  private let console: Console
  private let path: String
  private let options: BatchRunOptions
  private let shard: BatchShard?
  private let queue: Secret?
  private let required: RequiredSignature?

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let command = try BatchRunCommand(arguments, console)
    do throws(BatchProblem) {
      switch try await command.run() {
      case .success(let status): return status
      case .failure(let failure): return failure.report(console)
      }
    } catch {
      return CommandFailure(error).report(console)
    }
  }

  private init(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    guard let path = arguments.operands.first, !path.isEmpty, arguments.operands.count == 1
    else { throw UsageError("luath batch run takes one plan: luath batch run PLAN --execute") }
    try BatchTarget.require(arguments, console, "luath batch run")
    self.arguments = arguments
    self.console = console
    self.path = path
    options = try BatchRunOptions(arguments, console, errors: .standard)
    required = try RequiredSignature(arguments, console)
    queue = try Self.queue(arguments, console)
    if arguments.flags.contains("force"), options.journal == nil, queue == nil,
      access(console.whole(QueueMarker.path(ofPlan: path)), F_OK) != 0
    {
      throw UsageError("--force goes with --journal or --queue", hint: "leave it out")
    }
    shard = try arguments.values["shard"].map { text throws(UsageError) in
      guard let shard = BatchShard(text) else {
        throw UsageError("--shard takes the number of a part and how many there are: 2/4")
      }
      return shard
    }
    guard shard == nil || queue == nil else {
      throw UsageError(
        "--queue shares the rows of the plan among all processes, and --shard splits them",
        hint: "leave one out")
    }
  }

  /// The database URL in `--queue` or in the environment variable that it names.
  public static func queue(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(UsageError) -> Secret? {
    guard arguments.values["queue"] == nil || arguments.values["journal"] == nil else {
      throw UsageError(
        "--queue and --journal both name the place of the record", hint: "leave one out")
    }
    return try QueueOption.url(arguments, console)
  }

  private func run() async throws(BatchProblem) -> Result<ExitStatus, CommandFailure> {
    let reader = try PlanReader(path: console.whole(path))
    let plan = try reader.check()
    try requireFreeOutputs(reader.header)
    let signature = try required.map { (required) throws(BatchProblem) in
      try required.check(
        try PlanSignatureFile.read(ofPlan: path, console), of: plan.digest, path)
    }
    let place: ResolvedTarget
    do throws(CommandFailure) {
      place = try await BatchTarget.place(arguments, reader.header, console)
    } catch {
      return .failure(error)
    }
    if plan.counts.rows == 0 {
      return .failure(CommandFailure(.nothing, "the plan \(path.printable) has no rows"))
    }
    if queue == nil, options.journal == nil {
      try BatchParts.requireSameSplit(
        path, shard, journal: SQLiteJournal.path(ofPlan: path), console)
    }
    let key = try options.keyFile.map { path throws(BatchProblem) in try JournalKey.read(path) }
    if let warning = key?.warning { console.warn(warning, hint: BatchSubject.privacy) }
    let script = try BatchTarget.script(of: reader.header, plan.counts, console)
    let marker = try queue.map { (queue) throws(BatchProblem) in
      try QueueMarker(queue, digest: plan.digest)
    }
    try requireNoOtherJournal(marker, plan.digest)
    guard arguments.flags.contains("execute") else {
      return .success(try await preview(reader.header, try counts(plan), place, key, signature))
    }
    let journal: any BatchJournal
    if let queue {
      journal = try await sharedJournal(queue, key, reader, plan.digest)
      do throws(BatchProblem) { try marker?.write(ofPlan: path, console) } catch {
        console.warn(
          "\(error.message.printable), so no file beside the plan shows that it was run with a queue",
          hint: "run it with --queue only: another journal would run all rows again")
      }
    } else {
      journal = try await BatchSubject.open(
        journalPath, key, plan: try journalPlan(reader, plan.digest), shown, console)
    }
    let result = await execute(journal, place, script, signature)
    await journal.close()
    return .success(try result.get())
  }

  /// Throws if a report would overwrite a file of the run.
  private func requireFreeOutputs(_ header: PlanHeader) throws(BatchProblem) {
    var kept = KeptFiles(arguments, console)
    kept.add(subject: path)
    kept.add(journal: journalPath)
    kept.add(header)
    try kept.require(options.outputs)
  }

  private func execute(
    _ journal: any BatchJournal, _ place: ResolvedTarget, _ script: Script?,
    _ signature: PlanSignature?
  ) async -> Result<ExitStatus, BatchProblem> {
    let execution = BatchExecution(
      console: console,
      context: place.context(
        memory: 0, console, RealProjectConsent.batchGuard(of: place, arguments, console),
        trace: arguments.flags.contains("trace")
          ? { @Sendable [console] line in console.writeError("trace: \(line)\n") } : nil),
      options: options, socketPath: "\(journalPath).sock", plan: path, subject: shown,
      script: script,
      signature: signature)
    do throws(BatchProblem) {
      let runs = try await journal.runs()
      guard let run = runs.first else {
        throw BatchProblem(.unavailable, "the journal has no run", hint: "report this as a bug")
      }
      // A run that is undone must not continue: its existing undo would not cover the new changes.
      if let undone = try await BatchUndone(run, of: journal) {
        console.writeOutput("nothing was done now, as \(undone.words((shown, target)))")
        return .success(.code(.nothing))
      }
      let (end, status) = try await execution.run(run, of: journal)
      let next = BatchNextStep(
        after: run, of: shown, target: target, isOnly: runs.count == 1,
        again: "the same command")
      let causes = try? await JournalSummary(run, of: journal).failures
      console.writeOutput(end.summary(of: shown, then: next, causes ?? CauseGroups()))
      if let problem = end.problem { throw problem }
      return .success(status)
    } catch {
      return .failure(error)
    }
  }

  /// Opens the shared journal.
  private func sharedJournal(
    _ queue: Secret, _ key: JournalKey?, _ reader: PlanReader, _ digest: String
  ) async throws(BatchProblem) -> any BatchJournal {
    let plan = JournalPlan(header: reader.header, digest: digest) { () throws(BatchProblem) in
      try reader.next()
    }
    return try await PostgresJournal.open(url: queue, key: key, plan: plan) {
      [console] words in console.warn(words, hint: "Ctrl-C ends it")
    }
  }

  private var target: String { BatchSubject.target(arguments) }

  private var journalPath: String { options.journal ?? console.whole(ownJournal) }

  /// The journal's path without `--journal`, as the user would write it.
  private var ownJournal: String {
    let path = SQLiteJournal.path(ofPlan: path)
    guard let shard else { return path }
    return "\(path.dropLast(".journal".count))\(shard.infix).journal"
  }

  /// Throws if the run would begin another journal than the one that the plan was run with, because all rows would run
  /// again.
  ///
  /// - Parameter marker: The queue of this run.
  private func requireNoOtherJournal(
    _ marker: QueueMarker?, _ digest: String
  ) throws(BatchProblem) {
    guard !arguments.flags.contains("force") else { return }
    // An existing journal that was named is continued.
    if options.journal != nil, access(journalPath, F_OK) == 0 { return }
    if let found = try QueueMarker.read(ofPlan: path, console) {
      if let marker, marker.isSame(as: found) { return }
      let plan = found.digest == digest ? "" : "an earlier version of "
      throw BatchProblem(
        .usage, "\(plan)\(path.printable) was run already, with --queue \(found.url.printable)",
        hint: queue == nil && access(journalPath, F_OK) == 0
          ? "continue with that one; --journal \(ShellWord.quoted(ownJournal)) continues with that journal instead"
          : "go on with that one, or add --force to run all rows again with another")
    }
    guard options.journal != nil || queue != nil else { return }
    let parts = BatchParts.beside(SQLiteJournal.path(ofPlan: path), console)
    let hasOwn = access(console.whole(ownJournal), F_OK) == 0
    guard let found = hasOwn ? ownJournal : parts.first?.name else { return }
    throw BatchProblem(
      .usage, "\(path.printable) was run already, with the journal \(found.printable)",
      hint: "go on with that one, or add --force to run all rows again with another")
  }

  /// The plan or journal for suggested commands; the journal's path if this is one part of the plan.
  private var shown: String {
    guard shard != nil, options.journal == nil, queue == nil else {
      return BatchSubject.shown(path, arguments)
    }
    return BatchSubject.shown(ownJournal, arguments)
  }

  private var split: PlanSplit? {
    get throws(BatchProblem) {
      guard let shard else { return nil }
      return try PlanSplit(shard, of: console.whole(path))
    }
  }

  private func journalPlan(
    _ reader: PlanReader, _ digest: String
  ) throws(BatchProblem) -> JournalPlan {
    let split = access(journalPath, F_OK) == 0 ? nil : try split
    return JournalPlan(header: reader.header, digest: digest) { () throws(BatchProblem) in
      while let row = try reader.next() {
        if split?.has(row) ?? true { return row }
      }
      return nil
    }
  }

  // MARK: Without --execute

  /// The counts of the plan, or of the part that `--shard` selects.
  private func counts(_ plan: CheckedPlan) throws(BatchProblem) -> PlanCounts {
    guard let split = try split else { return plan.counts }
    let rows = try PlanReader(path: console.whole(path))
    var counts = PlanCounts()
    while let row = try rows.next() {
      if split.has(row) { counts.add(row) }
    }
    return counts
  }

  /// Describes the existing journal, if it can be read, and whether all its rows have ended.
  ///
  /// - Throws: If the journal cannot be used, as the run then cannot either.
  private func record(
    _ key: JournalKey?
  ) async throws(BatchProblem) -> (words: String, isOver: Bool) {
    guard queue == nil, access(journalPath, F_OK) == 0 else { return ("", false) }
    do throws(BatchProblem) {
      let journal = try await BatchSubject.open(journalPath, key, plan: nil, shown, console)
      let result: Result<(String, Bool), BatchProblem>
      do throws(BatchProblem) { result = .success(try await record(journal)) } catch {
        result = .failure(error)
      }
      await journal.close()
      return try result.get()
    } catch {
      guard error.code == .inUse else { throw error }
      return ("record: a run is under way: luath batch status \(shown)\n", false)
    }
  }

  private func record(
    _ journal: any BatchJournal
  ) async throws(BatchProblem) -> (words: String, isOver: Bool) {
    guard let run = try await journal.runs().first else { return ("", false) }
    let rows = try await journal.tally(run).rows
    let left = (rows[.waiting] ?? 0) + (rows[.claimed] ?? 0)
    if let undone = try await BatchUndone(run, of: journal) {
      return ("record: \(undone.words((shown, target)))", true)
    }
    if left > 0 {
      let rows = BatchDisplay.rows(left)
      return ("record: there is one, so the run would go on with the \(rows) left\n", false)
    }
    var words = "record: there is one, and none of its rows is left: \(rows[.done] ?? 0) done"
    for (state, name) in [(RowState.failed, "failed"), (.halfDone, "half done")] {
      if let count = rows[state], count > 0 { words += ", \(count) \(name)" }
    }
    return ("\(words); luath batch status \(shown) shows what to do next\n", true)
  }

  private func preview(
    _ header: PlanHeader, _ counts: PlanCounts, _ place: ResolvedTarget, _ key: JournalKey?,
    _ signature: PlanSignature?
  ) async throws(BatchProblem) -> ExitStatus {
    var text = "plan: \(path.printable), made \(header.made) by \(header.script.printable)"
    text += " from \(header.input.printable)\n"
    if let signature { text += "signed: by \(signature.text)\n" }
    text += "project: \(header.projectID.printable) \(BatchTarget.words(place.target))\n"
    if let tenant = header.tenantID { text += "tenant: \(tenant.printable)\n" }
    if let arguments = header.scope.shown { text += "arguments: \(arguments)\n" }
    if let shard {
      text += "part \(shard.index) of \(shard.count), which has "
      text += "\(BatchDisplay.rows(counts.rows)) of the plan\n"
    }
    text += "rows: \(counts.run) to run, \(counts.skip) skipped, \(counts.refused) refused\n"
    for (name, count) in counts.operations.sorted(by: { $0.key < $1.key }) {
      text += "  \(name.printable): \(count)\n"
    }
    let record = try await record(key)
    text += record.words
    if let sample = header.sample {
      text += "it is a sample of the first \(BatchDisplay.rows(sample))\n"
    }
    let isNothing = counts.run == 0 || record.isOver
    text +=
      isNothing
      ? "there is nothing to do\n"
      : "nothing was changed; the same command with --execute does it\n"
    console.writeOutput(text)
    return .code(isNothing ? .nothing : .ok)
  }
}
