public import Encoding
public import Lua

/// What a prompt needs of an interpreter that stays open, beyond what the runner of journeys does.
extension Interpreter {
  /// Gives scripts a module of functions that the host answers, without waiting.
  ///
  /// - Parameter functions: Each gets its arguments; `null` gives nothing back.
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

  /// Gives scripts an `arg` without arguments, and lets `require` look in a folder first.
  public func look(in folder: String, for name: String) {
    surface.arguments(Script(text: [], name: name, folder: folder))
  }

  /// Calls a function of a module with what the last call that failed raised.
  public func passFailure(to module: String, _ function: String) async {
    guard let value = failedWith else { return }
    failedWith = nil
    guard let job = try? spawn(caller, [.string(module), .string(function), .reference(value)])
    else { return }
    _ = await finish(job)
  }

  /// Calls a function of a module that does not wait, at once, whatever else is under way.
  ///
  /// - Throws: What it raised.
  public func ask(
    _ module: String, _ function: String, _ arguments: [JSON]
  ) throws(LuaError) -> JSON {
    // What the editor's thread asks may come after the session's end.
    guard !isClosed else { throw TaskErrors.closed }
    let values = arguments.map { JSONBridge.value($0, self) }
    let answer = try lua.run(caller, [.string(module), .string(function)] + values)
    return try lua.read(answer) { call, at throws(LuaError) in
      try JSONBridge.readSpellingOut(call, at)
    }
  }

  /// Tasks that have neither ended nor are the call at hand.
  public var openTasks: Int { jobs.count { $0 !== called } }

  /// Whether something has stopped the state.
  public var isStopped: Bool { stopped != nil }

  /// Forgets an interruption that came when nothing ran any more.
  public func forgetInterruption() { lua.forgetInterruption() }
}
