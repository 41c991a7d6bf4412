import Client
import System
public import HTTP
import IdentityToolkit
import Lua

/// Runs one script: owns its Lua state, its coroutines and their waits, on one thread.
///
/// Not sendable: it is created and used on the thread of its event loop.
public final class Interpreter {
  let lua: LuaState
  let actor: LoopActor
  /// The target and the settings of the run.
  public let context: ScriptContext
  let classes = Classes()
  /// The Lua value for JSON's null.
  let null: LuaReference
  var exitStatus: Int32 = 0
  /// The Auth of each used target by name; "" is the run's own.
  var auths: [String: Auth] = [:]
  /// The administrators with a key file, by target, path and tenant.
  var admins: [ExactString: Admin] = [:]
  var signInWarnings = SignInWarnings()
  /// The Lua values of `auths`, which keep their listeners alive.
  var keptAuths: [String: LuaReference] = [:]
  /// In a session: the settings of `auths` after the script's own text.
  var firstSettings: [String: Auth.Settings] = [:]
  /// The secrets of the script, the project file and the environment.
  private(set) lazy var secrets = {
    let masker = SecretMasker()
    masker.add(context.namedSecrets, marked: true)
    return masker
  }()
  let resources = OpenResources()
  /// The number of listeners ever added, for unique names.
  var listenerCount = 0
  private var current: Job?
  /// In a session: the results of the script's own text.
  var opened: [LuaReference] = []
  /// The rows of a batch that the script is planning.
  public let planning = RowPlanning()
  /// Measures the time for which this state runs; nil when not needed.
  var ownTime: CPUClock?
  /// The jobs that have not ended, in any order.
  private(set) var jobs: [Job] = []
  /// In a session: the job of the current call.
  var called: Job?
  var pauses = PauseClock()
  /// The source of each file that runs, by name; only while pauses are possible.
  var loadedSources: [String: [UInt8]] = [:]
  /// What the user chose at a pause that the script did not survive; nil if there was none.
  public var chosen: PauseAnswer?
  /// Called with true when the state is paused, and with false when it goes on.
  public var onPause: ((_ isPaused: Bool) -> Void)?
  /// The job in `awaitTasks`, and the lifetime of the tasks that it waits for.
  var waitForTasks: (job: Job, lifetime: TaskLifetime)?
  var stoppedJob: Job?
  /// The error value of the last failed call.
  var failedWith: LuaReference?
  /// Failed jobs in order of time; those that were not awaited are reported at the end.
  var failures: [Job] = []
  /// The number of unfinished waits of all jobs.
  private var effects = 0
  private var isStopping = false
  /// Whether the state is closed or being closed, so that no job may start or continue.
  private(set) var isClosed = false
  private var main: Job?
  /// Whether the journeys of the file share an emulated project.
  public var keepsProject = false
  var onIdle: (() -> Void)?
  /// Opened when nothing runs any more, as the end of a call's own job may never come.
  var idleGates: [OneShot] = []
  /// In a session: called when the script is stopped while no call is running.
  public var onStop: (() -> Void)?
  /// A Lua function that calls a function of a module, both by name.
  private(set) lazy var caller = lua.callerOfModules
  /// Finds names in the script's files that nothing defines.
  private(set) lazy var mistakes = MistakeFinder(lua, surface)
  let clock: ScriptClock
  private(set) lazy var transport = ScriptTransport(context.target, context, loop: actor.loop)
  /// The transports to other targets, each with its own addresses, trusted certificates and quotas.
  var transports: [TransportKey: ScriptTransport] = [:]
  /// Functions in tables of modules that have no `Declaration`, such as the constructors of credentials.
  private(set) var constructors: [LuaFunction] = []
  var emulatorKinds: [TransportKey: EmulatorKind] = [:]
  /// Everything that the script can use.
  public private(set) lazy var surface = Surface(self)

  /// Creates an interpreter on the loop of `actor`; call it on the loop's thread.
  public init(context: ScriptContext, actor: LoopActor) {
    self.actor = actor
    self.context = context
    clock = ScriptClock(advance: context.clockAdvance)
    lua = LuaState()
    lua.call.push(classes.null, classes.null)
    null = lua.call.takeTop()
    LuaState.adoptCurrentThread()
    lua.explain = ArgumentAdvice.text
    JSONBridge.register(in: lua)
    ErrorMetatable.register(in: lua)
    ListMetatable.register(in: lua)
    surface.install()
    // Created now, before the script can replace `require`.
    _ = caller
    // The limit applies to memory that the script uses, not to the set-up so far.
    lua.setMemoryLimit(context.memoryLimit)
  }

  /// A handle with which other threads stop the script.
  public var stopHandle: ScriptStopHandle {
    ScriptStopHandle(lua: lua.stopHandle, loop: actor.loop, interpreter: OnLoop(value: self))
  }

  /// Records a function without a `Declaration`, for code that needs the parameters of all functions.
  func declared(_ function: LuaFunction) -> LuaFunction {
    constructors.append(function)
    return function
  }

  // MARK: Jobs

  /// Schedules a Lua function as a new job.
  ///
  /// - Throws: `TaskErrors.closed` when the state is closed, or being closed and running finalizers.
  @discardableResult
  func spawn(
    _ function: LuaReference, _ arguments: [LuaValue] = []
  ) throws(LuaError) -> Job {
    guard !isClosed else { throw TaskErrors.closed }
    let job = Job(LuaCoroutine(function, arguments, in: lua))
    if let current {
      job.lifetime = current.lifetime
      if pauses.holds(current) { pauses.hold(job) }
    }
    job.position = jobs.count
    jobs.append(job)
    later { $0.advance(job) }
    return job
  }

  /// Makes the current and all later waits of a job fail.
  func cancel(_ job: Job) {
    guard !job.ended else { return }
    job.cancelled = true
    job.effect?.cancel()
  }

  func withdraw(_ job: Job) {
    if case .ready = job.state { end(job, .finished([])) }
  }

  var currentJob: Job? { current }

  /// Whether the state was stopped or closed, or its main function failed, so that nothing continues.
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
    // The time of a nested job counts for the outer one.
    let time = previous == nil ? ownTime : nil
    time?.begin()
    let outcome = job.coroutine.resume()
    if time?.end() ?? false {
      // An interruption that arrived too late must not hit the next job.
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
      // Remove handled failures from time to time, so that a long script does not accumulate them.
      if failures.count.isMultiple(of: 64) { failures.removeAll(where: \.observed) }
      failures.append(job)
    }
    // A script that is stopped in a waiting call ends before the wait does, so cancel the wait.
    if isHalted { job.effect?.cancel() } else { job.endedByItself = true }
    job.end(state)
  }

  private func settle() {
    if isHalted, !isStopping {
      isStopping = true
      for job in jobs where !pauses.holds(job) { job.effect?.cancel() }
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
  /// After a stop, all waits must have ended too: they may still describe their errors, which needs the open
  /// state.
  var isIdle: Bool {
    isHalted ? effects == pauses.heldWaits : jobs.isEmpty
  }

  // MARK: Waiting

  /// Starts the wait of the current job; called from the body of a function that waits.
  func begin(_ wait: Wait) {
    guard let job = current else { return }
    effects += 1
    if job.cancelled { return later { $0.ended(job, .failure(TaskErrors.cancelled)) } }
    switch wait {
    case .effect(let effect): begin(effect, job)
    case .event(let event):
      job.effect = .event(
        // A strong reference, as the event may end after the host has released a closed interpreter.
        cancel: event { [self] answer in
          // An event may end synchronously, before the call has yielded.
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

  /// Runs a closure on this loop after the running script has yielded.
  private func later(_ body: @escaping (Interpreter) -> Void) {
    let late = OnLoop(value: (interpreter: self, body: body))
    actor.loop.perform { late.value.body(late.value.interpreter) }
  }

  /// Pushes the results of the wait; called when the coroutine continues.
  func finish(_ call: LuaCall) throws(LuaError) -> LuaFunction.Answer {
    guard let job = current, let answer = job.answer else {
      throw .message("this coroutine was resumed from outside while it waited")
    }
    job.answer = nil
    let values = try answer.get()
    for value in values { call.push(value) }
    return .results(values.count)
  }

  /// Starts work on this loop, after the caller gives up the thread.
  @discardableResult
  func start(_ work: @escaping () async -> Void) -> Task<Void, Never> {
    let box = OnLoop(value: work)
    let loop = actor.loop
    return actor.assumeIsolated { actor in
      // Without the preference each continuation would go through the global thread pool.
      Task(executorPreference: loop) {
        _ = actor
        await box.value()
      }
    }
  }

  // MARK: The script

  /// Runs a script with its arguments until it and everything that it started have ended.
  func run(_ script: Script) async -> ScriptOutcome {
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
    if case .finished = ending { warnOfUnusedCredential(script) }
    await resources.endAll(self)
    return ending
  }

  func forgetStop() {
    isStopping = false
    lua.forgetStop()
    // Their waits may have ended while nothing could run.
    for job in pauses.held where job.effect == nil && !job.ended { later { $0.advance(job) } }
  }

  /// Waits until every job has ended, or the script was stopped.
  private func idle() async {
    precondition(actor.loop.isOnThread, "an interpreter belongs to its loop's thread")
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      // The jobs may have ended before this point, as an await can let queued work run.
      guard !isIdle else { return continuation.resume() }
      onIdle = { [unowned self] in
        onIdle = nil
        continuation.resume()
      }
    }
  }

  /// Ends a waiting script after a stop was requested.
  func stopRequested() {
    if current == nil { settle() }
  }

  /// Where the script was stopped, as `file:line`; nil outside of scripts.
  private(set) var stoppedAt: String?

  private func outcome(of main: Job) -> ScriptOutcome {
    if let stopped {
      stoppedAt = Traceback((stoppedJob ?? main).coroutine.traceback).place
      return stopped
    }
    for job in [main] + failures where !job.observed {
      guard let failure = failure(of: job) else { continue }
      // A single large allocation beyond the limit raises an ordinary Lua error.
      if context.memoryLimit > 0, failure.message == "not enough memory" {
        stoppedAt = failure.place ?? Traceback(failure.traceback).place
        return .stopped(.memory)
      }
      // The message may have come from the script's `__tostring`, which may have been stopped.
      return stopped ?? .failed(failure)
    }
    return .finished
  }

  /// Closes the state, which runs the script's finalizers.
  ///
  /// Unfinished jobs are dropped, and finalizers cannot start new ones, as nothing could run them.
  ///
  /// - Returns: The stop of the script, if there was one, also after its last line.
  @discardableResult
  public func close() -> ScriptOutcome? {
    guard !isClosed else { return nil }
    isClosed = true
    // Dropping the jobs must not count as a stop, which would call `onStop`.
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
