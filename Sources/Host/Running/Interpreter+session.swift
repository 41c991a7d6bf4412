import Client
import HTTP
import IdentityToolkit
import Lua
import SignIn
public import System

/// How a call into a script's modules ended.
public enum SessionCall: Sendable {
  case returned(JSON)
  case failed(ScriptFailure)
  /// The time limit expired in these calls; the call's own wait was cancelled, or the tasks that it was waiting for.
  case timedOut(traceback: String, tasks: [UnfinishedTasks])
  /// The call was cancelled and ended; or the state was stopped or closed before the call began.
  case cancelled
  /// The state was stopped in these calls, and can only run cleanup from now on.
  case stopped(ScriptOutcome, traceback: String)
}

/// Tasks and failures that remain after a journey.
public struct Leftovers: Sendable {
  /// Tasks that did not end although they were cancelled.
  public var stuck: [UnfinishedTasks] = []
  /// Failures of tasks that the script has not awaited.
  public var failures: [ScriptFailure] = []
}

/// Functions for sessions: an interpreter that stays open between calls into its script, for the journey runner.
extension Interpreter {
  /// Runs a script to the end of its text; tasks that it started continue.
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

  /// Waits for the current call's job and keeps its results.
  func finish(_ job: Job) async -> ScriptOutcome {
    called = job
    await ended(job)
    called = nil
    job.observed = true
    if let stopped { return stopped }
    if case .finished(let values) = job.state { opened = values }
    return failure(of: job).map(ScriptOutcome.failed) ?? .finished
  }

  /// Calls a function of a module and waits for it; tasks that it starts may continue.
  ///
  /// At the time limit, or after `cancelCall`, everything that the call waits for is cancelled. If the call does not
  /// end then, it must be stopped by the stop handle or by its `interruptComputation`, which counts as the limit.
  ///
  /// - Parameter isBesideOthers: Whether other calls run at the same time. `cancelCall` does not affect such a call.
  ///   When the state is stopped, such a call keeps its result if it has ended, and is cancelled if it has not begun.
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
      TimeLimit(limit, self) { [unowned self] in
        place = job.coroutine.traceback
        tasks = cancelTasks(awaitedBy: job)
        job.timedOut = true
        cancel(job)
      }
    }
    await ended(job)
    timer?.cancel()
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

  /// Makes the current and all later waits of the current call fail.
  public func cancelCall() {
    if let called { cancel(called) }
  }

  /// Ends the tasks and resources of a journey; returns the tasks that did not end, and failures that were not handled.
  ///
  /// Tasks and resources that outlast a journey are ended only by the last sweep.
  public func sweep(within limit: Duration, isLast: Bool = false) async -> Leftovers {
    var left = Leftovers()
    let strays = jobs.filter { isLast || !$0.lifetime.isWide }
    for job in strays { cancel(job) }
    await ended(strays, within: limit)
    for job in strays { job.observed = true }
    left.stuck = Self.unfinished(strays.filter { !$0.ended })
    left.failures = takeUnseenFailures(isLast: isLast)
    await resources.endAll(self, butKept: !isLast)
    return left
  }

  /// Waits until all tasks have ended; false if they have not within the limit.
  public func awaitTasks(within limit: Duration) async -> Bool {
    let tasks = jobs
    await ended(tasks, within: limit)
    return tasks.allSatisfy(\.ended)
  }

  private func ended(_ jobs: [Job], within limit: Duration) async {
    guard !jobs.isEmpty else { return }
    let gate = OneShot()
    let timer = actor.loop.schedule(after: limit) { gate.open() }
    for job in jobs {
      job.whenEnded { if jobs.allSatisfy(\.ended) { gate.open() } }
    }
    await withUnsafeContinuation { gate.wait($0) }
    actor.loop.cancel(timer)
  }

  /// Resets the project's state to that after the script's own text: no user is signed in, and the clock is the
  /// machine's unless the project is kept.
  public func renew(keepsProject: Bool = false) {
    if !keepsProject { clock.advance = context.clockAdvance }
    for (name, auth) in auths {
      if let first = firstSettings[name] { auth.renew(to: first) } else { forgetAuth(name) }
    }
    admins = [:]
    signInWarnings = SignInWarnings()
  }

  private func forgetAuth(_ name: String) {
    auths[name] = nil
    keptAuths[name] = nil
  }

  /// Lets a stopped state run cleanup code; the stopped code never continues, except what was there before a pause.
  public func revive() {
    for job in jobs where !pauses.holds(job) {
      job.observed = true
      end(job, .finished([]))
    }
    failures = []
    waitForTasks = nil
    stoppedJob = nil
    if case .stopped(.memory)? = stopped {
      // The script's memory is not freed before its state is closed.
      lua.setMemoryLimit(min(context.memoryLimit, Self.memoryToCleanUp))
    }
    forgetStop()
  }

  private static let memoryToCleanUp = 16 << 20

  /// Waits until a job has ended, or the script was stopped and no work is in progress.
  private func ended(_ job: Job) async {
    var waiting: OneShot?
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let gate = OneShot()
      gate.wait(continuation)
      job.whenEnded { gate.open() }
      if isIdle { gate.open() } else { idleGates.append(gate) }
      waiting = gate
    }
    idleGates.removeAll { $0 === waiting }
  }

  /// Records the settings made by the script's own text.
  private func remember() {
    firstSettings = auths.mapValues(\.settings)
  }

  private func json(_ value: LuaReference) throws(LuaError) -> JSON {
    try lua.read(value) { call, at throws(LuaError) in try JSONBridge.readSpellingOut(call, at) }
  }

  /// The error for saving a session of the run's own target in a fixture or `beforeAll`; nil where it is possible.
  ///
  /// The embedded emulator creates a new project for each journey, or on request for each file. The session's
  /// account would no longer exist when another journey loads the session.
  var savingRefusal: LuaError? {
    guard context.observer?.options["isInside"]?.bool == true, let job = currentJob else {
      return nil
    }
    let place: String
    switch job.lifetime {
    case .run: place = "a fixture of the run"
    case .file where !keepsProject: place = "a fixture of the file or beforeAll"
    case .journey, .hooks, .file: return nil
    }
    let hint =
      job.lifetime == .run
      ? "use scope = \"file\" with journey.configure { project = \"file\" }, or a target with --target"
      : "keep one project for the file: journey.configure { project = \"file\" }"
    return .object([
      ("code", .string("sessionEnds")),
      (
        "message",
        .string(
          "\(place) cannot save a session: the emulator inside begins a new project for "
            + (job.lifetime == .run ? "each file" : "each journey"))
      ),
      ("hint", .string(hint)),
    ])
  }

  func target(named name: String) throws(LuaError) -> Target {
    if let need = context.unusableTargets[name] {
      throw .message("the target '\(name.printable)' needs \(need)")
    }
    guard let target = context.targets[name] else {
      let names = context.targets.keys.sorted()
      let advice = nearestName(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
      let known = names.isEmpty ? "it names none" : "it names " + names.joined(separator: ", ")
      throw .message("the project file has no target '\(name.printable)'\(advice) (\(known))")
    }
    return target
  }

  /// Receives actions on pages; nil without an observer.
  var pageObserver: PageObserver? {
    context.observer.map { observer in { observer.acted($0) } }
  }

  /// Marks texts as secret, except those too common to mask.
  func hide(_ texts: [String]) {
    for text in texts where SecretNames.isSecret(text, under: "password") { mark(secret: text) }
  }

  /// Marks the answers to sign-in forms as secret.
  func hide(_ answers: SignInAnswers) {
    hide([answers.password].compactMap { $0?.reveal() })
    hide(answers.fields.values.map { $0.reveal() }.filter(SecretNames.looksRandom))
  }

  /// The transport for the clients of a target.
  ///
  /// Targets with different addresses must not share one: a run's emulator responds for Google's hosts, which must
  /// not happen to requests of a real project.
  func transport(to target: Target) -> ScriptTransport {
    let key = TransportKey(target)
    if key == TransportKey(context.target) { return transport }
    if let known = transports[key] { return known }
    let made = ScriptTransport(target, context, loop: actor.loop)
    transports[key] = made
    return made
  }

  /// The program that emulates a target's project; nil for a real project or an unknown program.
  ///
  /// Each target is queried once.
  func emulatorKind(of target: Target) async throws(HTTPError) -> EmulatorKind? {
    guard case .emulator(let url) = target.backend else { return nil }
    let key = TransportKey(target)
    if let known = emulatorKinds[key] { return known }
    if key == TransportKey(context.target), let kind = context.emulatorKind { return kind }
    let kind = try await EmulatorKind.detect(at: url, over: transport(to: target))
    if let kind { emulatorKinds[key] = kind }
    return kind
  }

  func isFirebaseEmulator(_ target: Target) async -> Bool {
    do throws(HTTPError) {
      return try await emulatorKind(of: target) == .firebase
    } catch {
      // The caller reports its own error.
      return false
    }
  }

  /// Whether an issuer is emulated, but the emulator is Firebase's, which has no provider pages.
  func lacksProvider(_ issuer: String) async -> Bool {
    guard let url = WebURL(issuer), transport.isEmulator(url) else { return false }
    return await isFirebaseEmulator(context.target)
  }
}

extension LuaState {
  /// A Lua function that receives the names of a module and its function, and calls it with the other arguments.
  var callerOfModules: LuaReference {
    // Saves `require`, as a script may define a global of that name.
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

/// The properties that two targets must have in common to share connections and quota counts.
struct TransportKey: Hashable {
  private let projectID: ExactString
  private let backend: Target.Backend
  private let hostOverrides: Target.HostOverrides

  init(_ target: Target) {
    projectID = ExactString(target.projectID)
    backend = target.backend
    hostOverrides = target.hostOverrides
  }
}
