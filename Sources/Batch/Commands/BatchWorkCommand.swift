import HTTP
import Host
import System

/// `luath batch work`: carries out rows that an engine delivers, and keeps nothing itself.
enum BatchWorkCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch work",
    summary: "Carries out the rows that an engine sends to standard input, and stores nothing.",
    operands: "",
    options: [
      Option("execute", nil, "required: change the accounts"),
      Option("undo", nil, "undo the rows"),
      Option(
        "heartbeat", "TIME", "write a heartbeat at this interval, such as 10s", default: "10s"),
      Option(
        "journal-key", "FILE", "a file with 32 bytes, which encrypt the records",
        default: "no encryption"),
    ]
      + BatchRunOptions.targetOptions
      + BatchRunOptions.paceOptions.filter {
        ["concurrency", "rate", "min-rate", "timeout", "trace"].contains($0.name)
      },
    examples: ["luath batch work --execute --target trial --concurrency 8"],
    exits: [
      .ok: "no row is left", .usage: "the command line, the protocol or the key file is wrong",
      .notLoaded: "the script has changed or is missing",
      .unavailable: "the backend failed, a key was refused, or no process reads standard output",
      .interrupted: "Ctrl-C or SIGTERM ended it, and rows are left",
    ])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard arguments.operands.isEmpty else {
      throw UsageError(
        "luath batch work takes no operands", hint: "the engine sends the rows to standard input")
    }
    guard arguments.flags.contains("execute") else {
      throw UsageError(
        "luath batch work changes accounts", hint: "if you mean to change them: --execute")
    }
    try BatchTarget.require(arguments, console, "luath batch work")
    Interrupts.prepare()
    let options = try BatchRunOptions(arguments, console)
    let heartbeat =
      try arguments.values["heartbeat"].map { text throws(UsageError) in
        try Quantity.time(text, "--heartbeat")
      } ?? .seconds(10)
    let failure: CommandFailure
    do throws(BatchProblem) {
      let pipes = try WorkPipes()
      switch await work(arguments, console, options, pipes, heartbeat) {
      case .success(let status): return status
      case .failure(let problem): failure = problem
      }
      pipes.write(WorkLine.error(failure))
      await pipes.flush()
    } catch {
      failure = CommandFailure(error)
    }
    return failure.report(console)
  }

  private static func work(
    _ arguments: ParsedArguments, _ console: Console, _ options: BatchRunOptions,
    _ pipes: WorkPipes, _ heartbeat: Duration
  ) async -> Result<ExitStatus, CommandFailure> {
    do {
      let key = try options.keyFile.map { path throws(BatchProblem) in try JournalKey.read(path) }
      if let warning = key?.warning { console.warn(warning, hint: BatchSubject.privacy) }
      let reader = WorkReader(
        codec: JournalCodec(key: key), isUndo: arguments.flags.contains("undo"))
      let journal = WorkJournal(
        reader, isConnected: { pipes.isConnected }, write: pipes.write)
      Interrupts.watchToTheEnd(EarlyEnd(console: console, journal: journal))
      defer { Interrupts.release() }
      try pipes.start(journal) { error in
        journal.fail(
          BatchProblem(
            .unavailable, "the engine no longer reads: \(error.message)",
            hint: "deliver the rows again, with their records"))
      }
      let hello = try await journal.hello()
      let place = try await BatchTarget.place(arguments, hello.header, console)
      let execution = BatchExecution(
        console: console,
        context: place.context(
          memory: 0, console, RealProjectConsent.batchGuard(of: place, arguments, console),
          trace: arguments.flags.contains("trace")
            ? { @Sendable [console] line in console.writeError("trace: \(line)\n") } : nil),
        options: options, socketPath: nil, plan: "", subject: "",
        script: try BatchTarget.script(of: hello.header, hello.operations, console))
      let custom = try await execution.operations(of: hello.header)
      journal.open(hello)
      pipes.repeatLine(every: heartbeat) { WorkLine.heartbeat(journal.claimedRows) }
      let result = await execution.work(reader.run, of: journal, hello.header.tenantID, custom)
      await custom?.close()
      let left = journal.releaseAll()
      await pipes.flush()
      try result.get()
      // The last lines may not have been written.
      if let problem = journal.problem { throw problem }
      return .success(.code(left > 0 ? .interrupted : .ok))
    } catch let failure as CommandFailure {
      return .failure(failure)
    } catch let problem as BatchProblem {
      return .failure(CommandFailure(problem))
    } catch {
      return .failure(CommandFailure(.unavailable, "\(error)"))
    }
  }
}

/// Ends a worker that has begun no row yet.
private struct EarlyEnd: Interruptible {
  let console: Console
  let journal: WorkJournal

  func interrupt() async { journal.interrupt() }

  func drop() { console.abandon(.interrupted, "") }
}

extension BatchExecution {
  /// Executes the rows that an engine delivers, without a display, until no further one comes.
  fileprivate func work(
    _ run: BatchRun, of journal: WorkJournal, _ tenantID: String?, _ custom: ScriptOperations?
  ) async -> Result<Void, BatchProblem> {
    do throws(BatchProblem) {
      let loop = try Self.loop()
      defer { loop.stop() }
      let executor = Executor(
        run, of: journal, settings: options.settings, on: loop, custom: custom
      ) { [context] (loop) throws(BatchProblem) in
        try BatchTarget.administrator(context, tenantID, loop)
      }
      Interrupts.watchToTheEnd(
        InterruptibleBatch(console: console) { await executor.control(.drain) })
      if let problem = try await executor.run().problem { throw problem }
      return .success(())
    } catch {
      return .failure(error)
    }
  }
}
