import System
import Glibc
import Lua

/// The project file: a Lua chunk that returns a table, run in an empty environment.
enum ProjectScript {
  /// Runs the text in an empty environment and returns its table as JSON.
  ///
  /// - Throws: The error of Lua or of the table's contents, with the line if known.
  static func evaluate(_ text: [UInt8], name: String) throws(ScriptFailure) -> JSON {
    let lua = LuaState()
    defer { lua.close() }
    LuaStopHandle.installHandler()
    LuaState.adoptCurrentThread()
    lua.setMemoryLimit(64 << 20)
    let handle = lua.stopHandle
    let thread = UInt(pthread_self())
    // The project file is data, so one that runs for seconds is a mistake. The guardian task may still run when the
    // state is closed; its handle allows that.
    let guardian = Task.detached {
      guard (try? await Task.sleep(for: .seconds(5))) != nil else { return }
      handle.request(.time, thread: thread)
    }
    defer { guardian.cancel() }
    var unusable: JSONBridge.Unwritable?
    do throws(LuaError) {
      let runner = try lua.load(Array(runnerText.utf8), name: "=luath")
      let value = try lua.run(
        runner, [.bytes(Script.source(text)), .string("@" + name)])
      return try lua.read(value) { call, at throws(LuaError) in
        guard call.isTable(at) else {
          throw .message(
            "\(name):1: the project file returns \(words(call.typeName(at)))")
        }
        do throws(JSONBridge.Unwritable) { return try JSONBridge.json(call, at) } catch {
          unusable = error
          throw .message("")
        }
      }
    } catch {
      if let unusable {
        throw ScriptFailure(
          message: "a project file cannot hold \(unusable.what)",
          hint: "it holds strings, numbers, booleans, and tables of these", keys: unusable.path)
      }
      guard lua.stopReason == nil else {
        throw ScriptFailure(
          message: "the project file does not end or takes too much memory",
          hint: "return a plain table", place: "\(name):1")
      }
      let failure = Interpreter.failure(said(error, lua), traceback: "")
      let hint = "it is data: return { … }, without calling functions; see docs/emulator.md"
      throw ScriptFailure(
        message: failure.message, hint: hint, place: failure.place ?? "\(name):1",
        name: failure.name)
    }
  }

  private static func words(_ type: String) -> String { type == "nil" ? "nothing" : "a \(type)" }

  private static let runnerText = """
    local text, name = ...
    -- Without methods of strings nothing can run long inside one call.
    getmetatable("").__index = nil
    local chunk, problem = load(text, name, "t", {})
    if not chunk then error(problem, 0) end
    return (chunk())
    """

  private static func said(_ error: LuaError, _ lua: LuaState) -> String {
    switch error {
    case .message(let text): text
    case .value(let reference): lua.text(of: reference) ?? "the project file failed"
    case .object: "the project file failed"
    }
  }
}

extension ScriptFailure: Error {}
