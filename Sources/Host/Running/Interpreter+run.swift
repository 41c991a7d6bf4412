public import Client
public import HTTP
import IdentityToolkit
public import Lua
public import System

extension Interpreter {
  /// Compiles a script, sets `arg`, and makes `require` search the script's folder first.
  func load(_ script: Script) throws(ScriptFailure) -> LuaReference {
    surface.arguments(script)
    guard script.text.first != 0x1B else {  // LUA_SIGNATURE
      throw ScriptFailure(
        message: "this is compiled Lua", hint: "run the source text it was made from")
    }
    let function: LuaReference
    do throws(LuaError) { function = try lua.load(script.text, name: "@" + script.name) } catch {
      throw describe(error, traceback: "").explained(
        by: ForeignCode(script.text, ForeignNames(surface)))
    }
    if let mistake = mistakes.first(in: script) { throw mistake }
    if context.pauses != nil { loadedSources[script.name] = script.text }
    return function
  }

  /// The source of a file of the script as it runs, which may have been saved since; nil for other files.
  public func loadedSource(of file: String) -> [UInt8]? { loadedSources[file] }

  /// What is wrong in a script, which is not run; nil if it loads and no call in it is certain to fail.
  public func mistake(in script: Script) -> ScriptFailure? {
    do throws(ScriptFailure) {
      _ = try load(script)
      return mistakes.failingCall(in: script)
    } catch {
      return error
    }
  }

  /// The outcome when the script was stopped; nil when it was not.
  var stopped: ScriptOutcome? {
    switch lua.stopReason {
    case .time: .stopped(.time)
    case .memory: .stopped(.memory)
    case .interrupt: .stopped(.interrupt)
    case .exit: .exited(exitStatus)
    case nil: nil
    }
  }

  /// Runs a Lua function as a job on behalf of another job, and waits for its results.
  ///
  /// When the other job is cancelled, this one is cancelled too.
  ///
  /// - Parameter traceback: Set to that of the function when it fails.
  func call(
    _ function: LuaReference, _ arguments: [LuaValue] = [], for caller: Job?,
    traceback: inout String
  ) async throws(LuaError) -> [LuaReference] {
    let job = try spawn(function, arguments)
    if let caller { job.lifetime = caller.lifetime }
    caller?.awaited = [job]
    await end(of: job)
    job.observed = true
    if Task.isCancelled {
      traceback = job.coroutine.traceback
      cancel(job)
      throw TaskErrors.cancelled
    }
    if case .failed(_, let calls) = job.state { traceback = calls }
    return try await outcome(of: job)
  }

  func call(
    _ function: LuaReference, _ arguments: [LuaValue], within limit: Duration,
    traceback: inout String
  ) async throws(LuaError) -> [LuaReference] {
    let job = try spawn(function, arguments)
    let timer = TimeLimit(limit, self) { [unowned self] in
      job.timedOut = true
      cancel(job)
    }
    await end(of: job)
    job.observed = true
    timer.cancel()
    if Task.isCancelled {
      cancel(job)
      throw TaskErrors.cancelled
    }
    if case .failed(_, let calls) = job.state { traceback = calls }
    if job.timedOut { throw TaskErrors.timedOut(limit / .seconds(1)) }
    return try await outcome(of: job)
  }

  /// Waits for a job and returns its results, or throws its error.
  func outcome(of job: Job) async throws(LuaError) -> [LuaReference] {
    await end(of: job)
    job.observed = true
    switch job.state {
    case .finished(let values): return values
    case .failed(let value, _): throw .value(value)
    default: throw .message("the task did not end")
    }
  }

  /// Waits until the job has ended, or until the waiting task is cancelled.
  func end(of job: Job) async {
    if job.ended { return }
    let gate = OneShot()
    job.whenEnded { gate.open() }
    await wait(for: gate)
  }

  /// Waits until the gate is open, or until the waiting task is cancelled.
  func wait(for gate: OneShot) async {
    let box = OnLoop(value: gate)
    let loop = actor.loop
    await withTaskCancellationHandler {
      await withUnsafeContinuation { gate.wait($0) }
    } onCancel: {
      loop.perform { box.value.open() }
    }
  }
}

/// Functions for the prompt, whose interpreter stays open.
extension Interpreter {
  /// Adds a module of host functions that do not wait.
  ///
  /// - Parameter functions: Each receives its arguments; a result of `null` returns nothing to Lua.
  public func provide(
    _ module: String,
    _ functions: [(name: String, answer: ([JSON]) throws(LuaError) -> JSON)]
  ) {
    var native = Declarations(self, owner: module)
    for (name, answer) in functions {
      native.add(name, "", [], variadic: true) { [unowned self] call throws(LuaError) in
        var arguments: [JSON] = []
        for index in 0..<call.count {
          arguments.append(try JSONBridge.readSpellingOut(call, index + 1))
        }
        let result = try answer(arguments)
        if result == .null { return .results(0) }
        call.push(JSONBridge.value(result, self))
        return .results(1)
      }
    }
    let members = native.members.map { ($0.name, LuaValue.function($0.function)) }
    lua.withGlobal("package") { call, at in
      call.field(at, "loaded") { call, _ in call.setField(module, .record(members)) }
    }
  }

  /// Sets `arg` without arguments, and makes `require` search a folder first.
  public func look(in folder: String, for name: String) {
    surface.arguments(Script(text: [], name: name, folder: folder))
  }

  /// Calls a function of a module with the error value of the last failed call.
  public func passFailure(to module: String, _ function: String) async {
    guard let value = failedWith else { return }
    failedWith = nil
    guard let job = try? spawn(caller, [.string(module), .string(function), .reference(value)])
    else { return }
    _ = await finish(job)
  }

  /// Calls a function of a module that does not wait, immediately, even while other jobs run.
  ///
  /// - Throws: The error that the function raised.
  public func ask(
    _ module: String, _ function: String, _ arguments: [JSON]
  ) throws(LuaError) -> JSON {
    // A call from the editor's thread may arrive after the session's end.
    guard !isClosed else { throw TaskErrors.closed }
    let values = arguments.map { JSONBridge.value($0, self) }
    let answer = try lua.run(caller, [.string(module), .string(function)] + values)
    return try lua.read(answer) { call, at throws(LuaError) in
      try JSONBridge.readSpellingOut(call, at)
    }
  }

  /// The failure of an entry, with the line to write if the entry is of another language.
  public func explained(_ failure: ScriptFailure, of entry: String) -> ScriptFailure {
    guard failure.code == nil else { return failure }
    let explained = failure.explained(in: Array(entry.utf8), surface)
    guard explained.hint == nil else { return explained }
    let code = ForeignCode(Array(entry.utf8), ForeignNames(surface), hasAuth: true)
    guard let name = failure.message.firstMatch(of: /\(global '(\w+)'\)/)?.output.1 else {
      return failure.explained(by: code)
    }
    let hint =
      code.advice(forGlobal: String(name))?.hint
      ?? Spellings.shared.line(forGlobal: String(name)).map { "write \($0)" }
    return ScriptFailure(
      message: failure.message, hint: hint, place: failure.place, traceback: failure.traceback,
      name: failure.name)
  }

  /// The first mistake in an entry, or in a file that the session loads; nil if there is none.
  ///
  /// - Parameters:
  ///   - name: The name of its chunk.
  ///   - known: The variables and globals of the session.
  public func mistake(inEntry text: String, _ name: String, known: Set<String>) -> ScriptFailure? {
    let entry = Script(text: Array(text.utf8), name: name, folder: nil)
    return mistakes.first(inEntry: entry, known: known)
  }

  /// The number of tasks that have not ended, without the current call.
  public var openTasks: Int { jobs.count { $0 !== called } }

  /// Whether the state was stopped.
  public var isStopped: Bool { stopped != nil }

  /// Clears an interruption that arrived when no code was running.
  public func forgetInterruption() { lua.forgetInterruption() }

  /// Runs a script to the end of its text, and passes its result to a function of a module.
  public func open(
    _ script: Script, givingTo module: String, _ function: String
  ) async -> ScriptOutcome {
    let outcome = await open(script)
    guard case .finished = outcome else { return outcome }
    let value = opened.first.map(LuaValue.reference) ?? .nil
    do throws(LuaError) {
      return await finish(try spawn(caller, [.string(module), .string(function), value]))
    } catch {
      return .failed(describe(error, traceback: ""))
    }
  }

  /// The administrator of the run's target or of a tenant, with the key that the environment names.
  public func administrator(tenantID: String?) throws(ScriptFailure) -> Admin {
    do throws(LuaError) {
      return try makeAdmin(target: nil, nil, tenantID: tenantID)
    } catch {
      throw describe(error, traceback: "")
    }
  }

  /// The transport to the run's target, which applies the guard of real projects and monitors their quotas.
  public var guardedTransport: any Transport { transport }

  /// Starts work on the interpreter's loop, after the caller gives up the thread.
  public func begin(_ work: @escaping () async -> Void) { start(work) }
}

/// The secrets of the script, the project file and the environment.
extension Interpreter {
  /// Marks a text as secret, so that output and reports mask it.
  func mark(secret: String, kind: SecretKind = .secret, isSetting: Bool = false) {
    secrets.add([secret], marked: true)
    context.observer?.marked(secret: secret, kind: kind, isSetting: isSetting)
  }

  func holdsSecret(_ text: String) -> Bool { secrets.clean(text) != text }
}

extension ScriptContext {
  /// All secrets in the target's settings.
  public var settingsSecrets: [String] { people.map(\.password) + namedSecrets }

  /// The secrets in the project file and the environment, without the passwords of test users.
  var namedSecrets: [String] {
    let variables = environment.filter { name, value in
      // `PWD` and similar variables contain a folder, not a password.
      let isFolder = name.hasSuffix("PWD") && value.hasPrefix("/")
      return !isFolder && SecretNames.holdSecrets(name) && SecretNames.isSecret(value, under: name)
    }
    return secrets.map { $0.reveal() } + variables.values
  }
}
