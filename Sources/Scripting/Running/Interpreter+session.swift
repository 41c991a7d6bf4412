import Auth
public import Encoding
import HTTP
import Lua

/// How a call into a script's modules ended.
public enum SessionCall: Sendable {
  /// What the function gave first.
  case returned(JSON)
  case failed(ScriptFailure)
  /// The time limit was over, while it was in these calls; everything that it waited for was cancelled: its own
  /// wait, or the tasks that nobody awaits.
  case timedOut(traceback: String, tasks: [UnfinishedTasks])
  /// It was asked to end early, and did; or the state was stopped or closed before it had begun.
  case cancelled
  /// It had to be stopped within Lua, in these calls; the state can only clean up from here on.
  case stopped(ScriptOutcome, traceback: String)
}

/// What a journey left behind in its state.
public struct Leftovers: Sendable {
  /// Tasks that do not end although they were cancelled.
  public var stuck: [UnfinishedTasks] = []
  /// What tasks failed with, unseen by the script.
  public var failures: [ScriptFailure] = []
}

/// An interpreter that stays open between calls into its script, as the runner of journeys needs it.
extension Interpreter {
  /// Runs a script to the end of its text; what it began goes on.
  public func open(_ script: Script) async -> ScriptOutcome {
    let function: LuaReference
    do throws(ScriptFailure) { function = try load(script) } catch { return .notLoaded(error) }
    let main: Job
    do throws(LuaError) {
      main = try spawn(function, script.arguments.map(LuaValue.string))
    } catch {
      return .failed(describe(error, traceback: ""))
    }
    main.lifetime = .file
    let outcome = await finish(main)
    if case .finished = outcome { remember() }
    return outcome
  }

  /// Waits for a job that is all there is to do, and keeps what it gave.
  func finish(_ job: Job) async -> ScriptOutcome {
    called = job
    await ended(job)
    called = nil
    job.observed = true
    if let stopped { return stopped }
    if case .finished(let values) = job.state { opened = values }
    return failure(of: job).map(ScriptOutcome.failed) ?? .finished
  }

  /// Calls a function of a module and waits for it; tasks it began may go on.
  ///
  /// At the limit, or when `cancelCall` was called, everything the call waits for is cancelled. A call that
  /// does not end then must be stopped by the stop handle, or by its `interruptComputation`, which counts as
  /// the limit.
  ///
  /// - Parameter isBesideOthers: Whether other calls go on meanwhile. `cancelCall` does not mean such a call, and
  ///   one that has ended keeps its result when the state is stopped then; one that has not begun is cancelled.
  public func call(
    _ module: String, _ function: String, _ arguments: [JSON] = [], within limit: Duration? = nil,
    isBesideOthers: Bool = false
  ) async -> SessionCall {
    guard
      let job = try? spawn(
        caller, [.string(module), .string(function)] + arguments.map { JSONBridge.value($0, self) })
    else { return .cancelled }
    if !isBesideOthers { called = job }
    var place = ""
    var tasks: [UnfinishedTasks] = []
    let timer = limit.map { limit in
      actor.loop.schedule(after: limit) { [unowned self] in
        place = job.coroutine.traceback
        tasks = cancelTasks(awaitedBy: job)
        job.timedOut = true
        cancel(job)
      }
    }
    await ended(job)
    if let timer { actor.loop.cancel(timer) }
    if !isBesideOthers { called = nil }
    job.observed = true
    if let stopped, !(isBesideOthers && job.endedByItself) {
      if isBesideOthers, case .ready = job.state { return .cancelled }
      return .stopped(stopped, traceback: (stoppedJob ?? job).coroutine.traceback)
    }
    if job.timedOut { return .timedOut(traceback: place, tasks: tasks) }
    if job.cancelled { return .cancelled }
    switch job.state {
    case .finished(let values):
      do throws(LuaError) {
        return .returned(try values.first.map(json) ?? .null)
      } catch {
        return .failed(describe(error, traceback: ""))
      }
    case .failed(let value, let traceback):
      failedWith = value
      return .failed(describe(.value(value), traceback: traceback))
    default: return .cancelled
    }
  }

  /// Makes what the call at hand waits for fail, now and later.
  public func cancelCall() {
    if let called { cancel(called) }
  }

  /// Ends the tasks and resources of a journey, and reports what went wrong with them.
  ///
  /// Those that outlast a journey are ended only by the last sweep.
  public func sweep(within limit: Duration, isLast: Bool = false) async -> Leftovers {
    var left = Leftovers()
    let strays = jobs.filter { isLast || !$0.lifetime.isWide }
    for job in strays { cancel(job) }
    if !strays.isEmpty {
      let gate = Gate()
      let timer = actor.loop.schedule(after: limit) { gate.open() }
      for job in strays {
        job.whenEnded { if strays.allSatisfy(\.ended) { gate.open() } }
      }
      await withUnsafeContinuation { gate.wait($0) }
      actor.loop.cancel(timer)
      for job in strays { job.observed = true }
      left.stuck = Self.unfinished(strays.filter { !$0.ended })
    }
    left.failures = takeUnseenFailures(isLast: isLast)
    await resources.endAll(self, butKept: !isLast)
    return left
  }

  /// Puts everything that belongs to a project back to how the script's own text left it: nobody is signed
  /// in, and the clock is the machine's unless the project goes on.
  public func renew(keepsProject: Bool = false) {
    if !keepsProject { clock.advance = context.clockAdvance }
    for (name, auth) in auths {
      if let first = firstSettings[name] { auth.renew(to: first) } else { forgetAuth(name) }
    }
    admins = [:]
  }

  private func forgetAuth(_ name: String) {
    auths[name] = nil
    keptAuths[name] = nil
  }

  /// Lets a state that was stopped run what cleans up after it; what was stopped never goes on.
  public func revive() {
    for job in jobs {
      job.observed = true
      end(job, .finished([]))
    }
    failures = []
    waitForTasks = nil
    stoppedJob = nil
    if case .stopped(.memory)? = stopped {
      // What the script holds is not given back before its state ends.
      lua.setMemoryLimit(min(context.memoryLimit, Self.memoryToCleanUp))
    }
    forgetStop()
  }

  private static let memoryToCleanUp = 16 << 20

  /// Waits until a job has ended, or the script was stopped and nothing is under way.
  private func ended(_ job: Job) async {
    var waiting: Gate?
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let gate = Gate()
      gate.wait(continuation)
      job.whenEnded { gate.open() }
      if isIdle { gate.open() } else { idleGates.append(gate) }
      waiting = gate
    }
    idleGates.removeAll { $0 === waiting }
  }

  /// Takes note of what the script's own text set.
  private func remember() {
    firstSettings = auths.mapValues(\.settings)
  }

  private func json(_ value: LuaReference) throws(LuaError) -> JSON {
    try lua.read(value) { call, at throws(LuaError) in try JSONBridge.readSpellingOut(call, at) }
  }
}

extension LuaState {
  /// A function that takes the names of a module and of its function, and calls that with what follows.
  var callerOfModules: LuaReference {
    // Its own `require`, as a script may have a variable of that name.
    let text = """
      local require <const> = require
      return function(module, name, ...) return require(module)[name](...) end
      """
    do throws(LuaError) {
      return try run(load(Array(text.utf8), name: "=luath/call"))
    } catch {
      preconditionFailure("the text is a constant that compiles")
    }
  }
}
