public import System
public import Lua

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

  /// The number of tasks that have not ended, without the current call.
  public var openTasks: Int { jobs.count { $0 !== called } }

  /// Whether the state was stopped.
  public var isStopped: Bool { stopped != nil }

  /// Clears an interruption that arrived when no code was running.
  public func forgetInterruption() { lua.forgetInterruption() }
}
