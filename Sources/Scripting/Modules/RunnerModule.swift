import Encoding
import Lua

/// `luath.runner`: how journeys tell whoever runs them what they do.
enum RunnerModule {
  static func make(_ interpreter: Interpreter) -> Module {
    let observer = interpreter.context.observer
    var runner = Declarations(interpreter, owner: "runner")
    runner.add(
      "emit", "Tells of a step, an assertion or a line of the log.",
      [
        LuaParameter("kind", .string, "step.start, step.end, assert or log"),
        LuaParameter("fields", .table),
      ]
    ) { call throws(LuaError) in
      observer?.emitted(call.string(1) ?? "", try JSONBridge.read(call, 2))
      return .results(0)
    }
    runner.add(
      "secret", "Says that a text must not be shown by any report of the run.",
      [LuaParameter("text", .string)], returns: "the text"
    ) { call in
      let text = call.string(1) ?? ""
      observer?.marked(secret: text)
      call.push(text)
      return .results(1)
    }
    return Module(
      "luath.runner", "How journeys tell whoever runs them what they do.", runner.list,
      fields: [
        ("isRunning", .boolean(observer != nil)),
        ("options", JSONBridge.value(observer?.options ?? [:], interpreter)),
      ])
  }
}
