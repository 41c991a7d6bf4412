import Glibc
import HTTP
import Host
import Lua
import Synchronization
import System

/// Executes one run of a journal: interrupts, control socket, progress display, summary and exit status.
struct BatchExecution: Sendable {
  let console: Console
  let context: ScriptContext
  let options: BatchRunOptions
  /// The path of the control socket; nil to have none.
  let socketPath: String?
  /// The plan or journal argument, unquoted.
  let plan: String
  /// The same quoted for a shell, with the options that select the journal, for suggested commands.
  let subject: String
  /// The script of the plan; nil if no operation is custom.
  let script: Script?
  /// The signature of the plan that the command required.
  var signature: PlanSignature?

  /// Executes the pending rows of a run.
  func run(
    _ run: BatchRun, of journal: any BatchJournal
  ) async throws(BatchProblem) -> (end: BatchEnd, status: ExitStatus) {
    let loop = try Self.loop()
    defer { loop.stop() }
    let hooks = hooks(run, journal.header, loop)
    let result: Result<(end: BatchEnd, status: ExitStatus), BatchProblem>
    do throws(BatchProblem) {
      result = .success(try await carryOut(run, of: journal, loop, hooks))
    } catch {
      result = .failure(error)
    }
    await hooks.end(result)
    return try result.get()
  }

  private func carryOut(
    _ run: BatchRun, of journal: any BatchJournal, _ loop: EventLoop, _ hooks: BatchHooks
  ) async throws(BatchProblem) -> (end: BatchEnd, status: ExitStatus) {
    try await journal.record(
      .now(
        run, reason: options.reason, signature: signature, environment: console.environment,
        arguments: ProcessArguments.all))
    try await hooks.start()
    let events = try options.eventFile.map { path throws(BatchProblem) in
      try BatchEventFile(path: path)
    }
    if let warning = events?.warning {
      console.warn(warning.printable, hint: BatchSubject.privacy)
    }
    let custom = try await operations(of: journal.header)
    let executor = executor(run, journal, loop, custom, events)
    do throws(BatchProblem) {
      try await serveMetrics(of: executor, run, journal.header)
    } catch {
      await custom?.close()
      throw error
    }
    let sockets = await listen(for: executor, run, journal)
    let wasInterrupted = Mutex(false)
    let interruptible = InterruptibleBatch(console: console) {
      wasInterrupted.withLock { $0 = true }
      await executor.control(.drain)
    }
    Interrupts.watchToTheEnd(interruptible)
    let display = Task { await BatchDisplay(console: console, executor: executor).show(events) }
    let pacing = await followPace(of: executor)
    let result: Result<BatchEnd, BatchProblem>
    do throws(BatchProblem) {
      result = .success(try await executor.run())
    } catch {
      result = .failure(error)
    }
    pacing?.cancel()
    await pacing?.value
    display.cancel()
    await display.value
    await sockets.stop()
    Interrupts.release()
    await custom?.close()
    if let events, !events.finish() {
      console.report(
        "the events could not all be written to \(options.eventFile?.printable ?? "")",
        hint: "write them again: luath batch export \(subject) --run \(run.number) --events FILE")
    }
    await writePage(run, journal)
    let end = try result.get()
    return (end, end.exitStatus)
  }

  /// The hooks of a run.
  private func hooks(_ run: BatchRun, _ header: PlanHeader, _ loop: EventLoop) -> BatchHooks {
    var facts: JSONObject = [
      "plan": .string(plan), "run": .integer(run.number), "kind": .string(run.kind.rawValue),
      "project": .string(header.projectID),
    ]
    facts["tenant"] = header.tenantID.map(JSON.string)
    return BatchHooks(
      hooks: options.hooks, facts: facts,
      environment: console.environment.filter { !options.hiddenVariables.contains($0.key) },
      loop: loop, warn: { [console] in console.warn($0, hint: $1) })
  }

  /// Serves the figures of the run if `--metrics` is given.
  private func serveMetrics(
    of executor: Executor, _ run: BatchRun, _ header: PlanHeader
  ) async throws(BatchProblem) {
    guard let metrics = options.metrics else { return }
    let url = try await metrics.start(
      executor,
      [("project", header.projectID), ("run", "\(run.number)"), ("kind", run.kind.rawValue)])
    console.writeError("luath: metrics at \(url)\n")
  }

  /// Asks the pace URL once, if there is one, and then until the task is canceled.
  private func followPace(of executor: Executor) async -> Task<Void, Never>? {
    guard let pace = options.pace else { return nil }
    let watch = PaceWatch(pace, executor) { [console] in console.warn($0, hint: $1) }
    await watch.ask()
    return Task { await watch.follow() }
  }

  /// Writes the HTML report, if requested; a failure is reported but does not change the exit status.
  private func writePage(_ run: BatchRun, _ journal: any BatchJournal) async {
    guard let path = options.pageFile else { return }
    do throws(BatchProblem) {
      try await BatchPage(run, of: journal).write(to: path)
    } catch {
      console.report(
        error.message.printable, hint: "write it again: luath batch report \(subject) -o FILE")
    }
  }

  static func loop() throws(BatchProblem) -> EventLoop {
    try EventLoop.started("batch") { BatchProblem($0) }
  }

  /// The script's custom operations; nil if none is needed.
  func operations(of header: PlanHeader) async throws(BatchProblem) -> ScriptOperations? {
    guard let script else { return nil }
    var context = context
    context.batch = header.scope
    return try await ScriptOperations.load(
      script, modules: header.modules, context, limit: options.operationLimit
    ) { [console] in
      console.abandon(
        .unavailable,
        Console.words(
          "an operation does not stop: it is inside a function of C",
          hint: "look for string.find with a costly pattern or io.read"))
    }
  }

  private func executor(
    _ run: BatchRun, _ journal: any BatchJournal, _ loop: EventLoop, _ custom: ScriptOperations?,
    _ events: BatchEventFile?
  ) -> Executor {
    let (context, tenantID) = (context, journal.header.tenantID)
    return Executor(
      run, of: journal, settings: options.settings, on: loop, custom: custom,
      shared: journal as? any SharedRate, hear: { events?.write($0) }
    ) { (loop) throws(BatchProblem) in
      try BatchTarget.administrator(context, tenantID, loop)
    }
  }

  private func listen(
    for executor: Executor, _ run: BatchRun, _ journal: any BatchJournal
  ) async -> BatchListener {
    let listener = BatchListener(path: socketPath) { line in
      if line == "status" { return Self.status(await executor.status, of: run) }
      if line == "causes" {
        let summary = try? await JournalSummary(run, of: journal)
        return JSON.array((summary?.causes ?? []).map(JSON.string)).encoded()
      }
      guard let control = BatchControl(line) else {
        return #"{"error":"not understood"}"#
      }
      guard let shared = journal as? any SharedRate else {
        await executor.control(control)
        return Self.status(await executor.status, of: run)
      }
      // This sends the command to all processes, including this one.
      do throws(BatchProblem) { try await shared.send(control) } catch {
        return JSON.object(["error": .string(error.message.printable)]).encoded()
      }
      return Self.status(await executor.status, of: run)
    }
    do throws(BatchProblem) {
      try await listener.start(isShared: journal is any SharedRate)
    } catch {
      console.warn(error.message.printable, hint: error.hint)
    }
    return listener
  }

  /// The status of a run as one line of JSON, with the run's number and kind.
  private static func status(_ status: BatchStatus, of run: BatchRun) -> String {
    var object = status.json.object ?? [:]
    object["run"] = .integer(run.number)
    object["kind"] = .string(run.kind.rawValue)
    object["of"] = run.of.map(JSON.integer)
    return JSON.object(object).encoded()
  }
}

/// A run that the first Ctrl-C drains and a second one ends at once.
struct InterruptibleBatch: Interruptible {
  let console: Console
  let drain: @Sendable () async -> Void

  func interrupt() async {
    console.writeError(
      "\nluath: calls under way are brought to their end; again to leave at once\n")
    await drain()
  }

  func drop() { console.abandon(.interrupted, "") }
}

/// The control socket of a run.
///
/// If several processes in one folder share a run, one of them listens, and its commands go to all. When it ends,
/// another process takes over.
actor BatchListener {
  private let path: String?
  private let answer: @Sendable (String) async -> String
  private var socket: ControlSocket?
  private var waiting: Task<Void, Never>?

  /// How often to retry listening.
  private static let interval = Duration.seconds(2)

  /// - Parameter path: The path of the socket; nil to have none.
  init(path: String?, _ answer: @escaping @Sendable (String) async -> String) {
    self.path = path
    self.answer = answer
  }

  /// Starts listening, or waits until the process that shares the run and listens has ended.
  ///
  /// - Throws: If no socket can be created; the run can continue without it.
  func start(isShared: Bool) throws(BatchProblem) {
    guard let path else { return }
    do throws(BatchProblem) {
      socket = try ControlSocket(path: path, answer)
    } catch {
      guard isShared, error.code == .inUse else { throw error }
      waiting = Task {
        while socket == nil, (try? await Task.sleep(for: Self.interval)) != nil {
          socket = try? ControlSocket(path: path, answer)
        }
      }
    }
  }

  func stop() async {
    waiting?.cancel()
    await waiting?.value
    socket?.stop()
    socket = nil
  }
}
