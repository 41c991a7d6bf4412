import Lua

extension Interpreter {
  /// Compiles a script, sets `arg`, and makes `require` search the script's folder first.
  func load(_ script: Script) throws(ScriptFailure) -> LuaReference {
    surface.arguments(script)
    guard script.text.first != 0x1B else {  // LUA_SIGNATURE
      throw ScriptFailure(
        message: "this is compiled Lua", hint: "run the source text it was made from")
    }
    do throws(LuaError) { return try lua.load(script.text, name: "@" + script.name) } catch {
      throw describe(error, traceback: "")
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
}
