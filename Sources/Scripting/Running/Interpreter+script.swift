import Lua

/// What an interpreter takes as a script, and how it was ended.
extension Interpreter {
  /// Compiles a script, for which its arguments are set and its folder is looked in first.
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

  /// The stop that ended the script, if one did.
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
