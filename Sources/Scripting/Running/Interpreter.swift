import Admin
import Auth
import Encoding
public import HTTP
import IdentityToolkit
import Lua

/// Runs one script: owns its Lua state, its coroutines and what they wait for, on one thread.
///
/// Not sendable: it is made and used on the thread of its event loop.
public final class Interpreter {
  let lua: LuaState
  let actor: LoopActor
  let context: ScriptContext
  let classes = Classes()
  /// The value that stands for JSON's null.
  let null: LuaReference
  /// The status given to `os.exit`.
  var exitStatus: Int32 = 0
  /// The Auth of each target that was used; "" is the run's own.
  var auths: [String: Auth] = [:]
  /// The administrators made with a key file, by target, path and tenant.
  var admins: [ExactString: Admin] = [:]
  /// Their values in Lua.
  var keptAuths: [String: LuaReference] = [:]
  /// The settings those had when the script's own text had ended, in a session.
  var firstSettings: [String: Auth.Settings] = [:]
  /// The texts that the script and its surroundings call secret.
  private(set) lazy var secrets = {
    let book = SecretBook()
    book.add(context.namedSecrets, marked: true)
    return book
  }()
  /// What the script opened and has not closed.
  let resources = OpenResources()
  /// How many listeners were ever added, to tell them apart.
  var listenerCount = 0
  private var current: Job?
  /// What the script's own text gave, in a session.
  var opened: [LuaReference] = []
  /// The rows of a batch that the script plans.
  public let planning = RowPlanning()
  /// Measures how long this state runs, for who wants to know.
  public var ownTime: OwnTime?
  /// The jobs that have not ended, in no order.
  private(set) var jobs: [Job] = []
  /// In a session: the job that a call waits for.
  var called: Job?
  /// The job that waits for the tasks that nobody awaits, and up to which lifetime.
  var waitForTasks: (job: Job, lifetime: TaskLifetime)?
  /// The job that ran when the script was stopped.
  var stoppedJob: Job?
  /// What the last call that failed raised.
  var failedWith: LuaReference?
  /// Failures, in the order they happened; those that nobody has seen are reported at the end.
  var failures: [Job] = []
  /// How much work that jobs wait for has not ended.
  private var effects = 0
  private var isStopping = false
  /// Whether the state is closed, or is being closed: no job starts or goes on.
  private(set) var isClosed = false
  private var main: Job?
  /// Whether the journeys of the file share an emulated project.
  public var keepsProject = false
  var onIdle: (() -> Void)?
  /// Calls that wait for the same, as their own ends may never come.
  var idleGates: [Gate] = []
  /// Is called when the script is stopped while no call is at hand, in a session.
  public var onStop: (() -> Void)?
  /// Calls a function of a module by both their names.
  private(set) lazy var caller = lua.callerOfModules
  /// The clock of the script's clients and custom tokens.
  let clock: ScriptClock
  /// What the script, its clients and its delegates send requests with.
  private(set) lazy var transport = ScriptTransport(context.target, context, loop: actor.loop)
  /// What reaches the other targets, each with its own addresses, authorities and quotas.
  var transports: [TransportKey: ScriptTransport] = [:]
  /// Functions in tables of modules, such as the constructors of credentials.
  private(set) var constructors: [LuaFunction] = []
  /// Which program emulates a target, once that is known.
  var emulatorKinds: [TransportKey: EmulatorKind] = [:]
  /// Everything the script can reach.
  public private(set) lazy var surface = Surface(self)

  /// Makes an interpreter on the loop of `actor`, whose thread must be the calling one.
  public init(context: ScriptContext, actor: LoopActor) {
    self.actor = actor
    self.context = context
    clock = ScriptClock(advance: context.clockAdvance)
    lua = LuaState()
    lua.call.push(classes.null, classes.null)
    null = lua.call.takeTop()
    LuaState.adoptCurrentThread()
    JSONBridge.register(in: lua)
    ErrorMetatable.register(in: lua)
    ListMetatable.register(in: lua)
    surface.install()
    // Before the script can change what it needs.
    _ = caller
    // From here on the script pays for what it uses, not for what it was given.
    lua.setMemoryLimit(context.memoryLimit)
  }

  /// A handle to stop the script from other threads.
  public var stopHandle: ScriptStopHandle {
    ScriptStopHandle(lua: lua.stopHandle, loop: actor.loop, interpreter: OnLoop(value: self))
  }

  /// Lists a function that is no declaration of a module, for who reads what functions take.
  func declared(_ function: LuaFunction) -> LuaFunction {
    constructors.append(function)
    return function
  }

  // MARK: Jobs

  /// Schedules a Lua function as a job of its own.
  ///
  /// - Throws: When the state is closed, or is being closed and runs its finalizers.
  @discardableResult
  func spawn(
    _ function: LuaReference, _ arguments: [LuaValue] = []
  ) throws(LuaError) -> Job {
    guard !isClosed else { throw TaskErrors.closed }
    let job = Job(LuaCoroutine(function, arguments, in: lua))
    if let current { job.lifetime = current.lifetime }
    job.position = jobs.count
    jobs.append(job)
    later { $0.advance(job) }
    return job
  }

  /// Makes every wait of a job fail, from now on.
  func cancel(_ job: Job) {
    guard !job.ended else { return }
    job.cancelled = true
    job.effect?.cancel()
  }

  /// Takes back a job that has not begun to run.
  func withdraw(_ job: Job) {
    if case .ready = job.state { end(job, .finished([])) }
  }

  var currentJob: Job? { current }

  /// Whether the state was stopped or closed, or its main function failed: nothing runs on.
  private var isHalted: Bool {
    if isClosed || lua.stopReason != nil { return true }
    if case .failed = main?.state { return true }
    return false
  }

  private func advance(_ job: Job) {
    guard !job.ended, !isHalted else { return settle() }
    let previous = current
    current = job
    job.state = .running
    // A job that another one runs is part of that one's time.
    let time = previous == nil ? ownTime : nil
    time?.begin()
    let outcome = job.coroutine.resume()
    if time?.end() ?? false {
      // What was raised too late must not meet whoever runs next.
      lua.forgetInterruption()
      if case .failed = outcome { job.timedOut = true }
    }
    current = previous
    if lua.stopReason != nil, stoppedJob == nil { stoppedJob = job }
    switch outcome {
    case .waiting: job.state = .waiting
    case .finished(let values): end(job, .finished(values))
    case .failed(let value, let traceback): end(job, .failed(value, traceback: traceback))
    }
    settle()
  }

  func end(_ job: Job, _ state: Job.State) {
    jobs.swapAt(job.position, jobs.count - 1)
    jobs[job.position].position = job.position
    jobs.removeLast()
    if case .failed = state {
      // Seldom, so that failures which a long script handles neither pile up nor are counted often.
      if failures.count.isMultiple(of: 64) { failures.removeAll(where: \.observed) }
      failures.append(job)
    }
    // A script that is stopped in a call that waits ends before what it waited for.
    if isHalted { job.effect?.cancel() } else { job.endedByItself = true }
    job.end(state)
  }

  private func settle() {
    if isHalted, !isStopping {
      isStopping = true
      for job in jobs { job.effect?.cancel() }
      if called == nil { onStop?() }
    }
    if isIdle {
      onIdle?()
      let waiting = idleGates
      idleGates = []
      for gate in waiting { gate.open() }
    }
  }

  /// Whether nothing is left to run.
  ///
  /// After a stop, what was waited for must have ended too: it may still put its failure into
  /// words, which needs the state open.
  var isIdle: Bool {
    isHalted ? effects == 0 : jobs.isEmpty
  }

  // MARK: Waiting

  /// Begins what the current job waits for; called from the body of a function that waits.
  func begin(_ wait: Wait) {
    guard let job = current else { return }
    effects += 1
    if job.cancelled { return later { $0.ended(job, .failure(TaskErrors.cancelled)) } }
    switch wait {
    case .effect(let effect): begin(effect, job)
    case .event(let event):
      job.effect = .event(
        // Strong, as the event may end after the host has let go of a closed interpreter.
        cancel: event { [self] answer in
          // An event may be over at once, before the call that waits for it has given way.
          guard current != nil else { return ended(job, answer) }
          later { $0.ended(job, answer) }
        })
    }
  }

  private func begin(_ effect: @escaping Effect, _ job: Job) {
    let interpreter = self
    job.effect = .task(
      start {
        let answer: Result<[LuaValue], LuaError>
        do throws(LuaError) {
          answer = .success(try await effect())
        } catch {
          answer = .failure(error)
        }
        interpreter.ended(job, answer)
      })
  }

  /// Goes on with a job whose wait is over.
  private func ended(_ job: Job, _ answer: Result<[LuaValue], LuaError>) {
    job.effect = nil
    effects -= 1
    job.awaited = []
    if job.cancelled, case .failure = answer {
      job.answer = .failure(TaskErrors.cancelled)
    } else {
      job.answer = answer
    }
    advance(job)
  }

  /// Does something on this loop when the running script has given way.
  private func later(_ body: @escaping (Interpreter) -> Void) {
    let late = OnLoop(value: (interpreter: self, body: body))
    actor.loop.perform { late.value.body(late.value.interpreter) }
  }

  /// Pushes what the wait gave; called when the coroutine goes on.
  func finish(_ call: LuaCall) throws(LuaError) -> LuaFunction.Answer {
    guard let job = current, let answer = job.answer else {
      throw .message("this coroutine was resumed from outside while it waited")
    }
    job.answer = nil
    let values = try answer.get()
    for value in values { call.push(value) }
    return .results(values.count)
  }

  /// Starts work on this loop; the caller goes on first.
  @discardableResult
  func start(_ work: @escaping () async -> Void) -> Task<Void, Never> {
    let box = OnLoop(value: work)
    let loop = actor.loop
    return actor.assumeIsolated { actor in
      // Without the preference each continuation would take a turn through the global pool.
      Task(executorPreference: loop) {
        _ = actor
        await box.value()
      }
    }
  }

  // MARK: The script

  /// Runs a loaded script with its arguments until it and everything it began has ended.
  public func run(_ script: Script) async -> ScriptOutcome {
    let function: LuaReference
    do throws(ScriptFailure) { function = try load(script) } catch { return .notLoaded(error) }
    let main: Job
    do throws(LuaError) {
      main = try spawn(function, script.arguments.map(LuaValue.string))
    } catch {
      return .failed(describe(error, traceback: ""))
    }
    self.main = main
    await idle()
    let ending: ScriptOutcome = outcome(of: main)
    await resources.endAll(self)
    return ending
  }

  /// Forgets a stop, so that what is called next runs.
  func forgetStop() {
    isStopping = false
    lua.forgetStop()
  }

  /// Waits until every job has ended, or the script was stopped.
  private func idle() async {
    precondition(actor.loop.isOnThread, "an interpreter belongs to its loop's thread")
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      // The jobs may have run between the call and here: an await can give way to what is queued.
      guard !isIdle else { return continuation.resume() }
      onIdle = { [unowned self] in
        onIdle = nil
        continuation.resume()
      }
    }
  }

  /// Wakes a script that waits, after a stop was asked for.
  func stopRequested() {
    if current == nil { settle() }
  }

  private func outcome(of main: Job) -> ScriptOutcome {
    if let stopped { return stopped }
    for job in [main] + failures where !job.observed {
      guard let failure = failure(of: job) else { continue }
      // One request beyond the limit is an ordinary error of Lua.
      if context.memoryLimit > 0, failure.message == "not enough memory" {
        return .stopped(.memory)
      }
      // The words may have come from the script's own __tostring.
      return stopped ?? .failed(failure)
    }
    return .finished
  }

  /// Ends the state; the script's finalizers run now.
  ///
  /// Jobs that have not ended are dropped, and finalizers cannot start new ones: nothing could run them.
  ///
  /// - Returns: The stop of the script, if one came: also one that came after its last line.
  @discardableResult
  public func close() -> ScriptOutcome? {
    guard !isClosed else { return nil }
    isClosed = true
    // The dropped jobs are no stop of the script, about which the host would be called.
    isStopping = true
    for job in jobs { job.effect?.cancel() }
    for job in jobs {
      job.observed = true
      end(job, .finished([]))
    }
    ownTime?.begin()
    lua.close()
    ownTime?.end()
    classes.dissolve()
    return stopped
  }
}
