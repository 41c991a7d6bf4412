import Encoding
import IdentityToolkit
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
      observer?.emitted(call.string(1) ?? "", try JSONBridge.readSpellingOut(call, 2))
      return .results(0)
    }
    runner.add(
      "secret", "Says that a text must not be shown by any report of the run.",
      [LuaParameter("text", .secret)], returns: "the text"
    ) { call in
      let text = call.string(1) ?? ""
      observer?.marked(secret: text)
      call.push(text)
      return .results(1)
    }
    runner.add(
      "field", "Hides what a field holds if its name is one of secrets.",
      [LuaParameter("name", .string), LuaParameter("value", .string)],
      returns: "whether it must not be shown there"
    ) { call in
      let name = call.string(1) ?? ""
      let value = call.string(2) ?? ""
      // A code without a digit is an error's.
      let isWord = name.lowercased() == "code" && !value.contains(where: \.isNumber)
      let isSecret =
        SecretNames.holdSecrets(name) && SecretNames.isSecret(value, under: name) && !isWord
      if isSecret { observer?.marked(secret: value) }
      let isHidden = isSecret || SecretNames.isHidden(value, inField: name)
      call.push(observer != nil && isHidden)
      return .results(1)
    }
    runner.add(
      "clean", "Takes out what must not be shown, of a text that is about to be cut.",
      [LuaParameter("text", .string)], returns: "the text without it"
    ) { call in
      let text = call.string(1) ?? ""
      call.push(observer.map { $0.clean(text) } ?? text)
      return .results(1)
    }
    runner.add(
      "claim", "Takes a name that all files of a run share, unless another file has it.",
      [LuaParameter("name", .string)], returns: "whether it has it now; the value kept there"
    ) { [unowned interpreter] call in
      guard let (isHeld, value) = observer?.claim(call.string(1) ?? "") else {
        call.push(true)
        return .results(1)
      }
      call.push(isHeld)
      call.push(value.map { JSONBridge.value($0, interpreter) } ?? .nil)
      return .results(2)
    }
    runner.add(
      "release", "Puts a value under a claimed name, and lets others have it.",
      [LuaParameter("name", .string), LuaParameter("value", .any, optional: true)]
    ) { call throws(LuaError) in
      let value: JSON = call.count > 1 ? try JSONBridge.read(call, 2) : .null
      // Of JSON and its optional, a bare nil would be taken for JSON's null.
      observer?.release(call.string(1) ?? "", value == .null ? Optional<JSON>.none : value)
      return .results(0)
    }
    runner.add(
      "keep",
      "Says whether what is opened from now on, such as a page, outlasts the journey at hand.",
      [LuaParameter("keeps", .boolean, "each true needs a false later")]
    ) { [unowned interpreter] call in
      interpreter.resources.keeping += call.boolean(1) ? 1 : -1
      return .results(0)
    }
    runner.add(
      "exchangeCount", "How many HTTP exchanges there were in this journey so far.", [],
      returns: "integer"
    ) { call in
      call.push(Int64(observer?.exchangeCount ?? 0))
      return .results(1)
    }
    let options = JSONBridge.value(observer?.options ?? [:], interpreter)
    return Module(
      "luath.runner", "How journeys tell whoever runs them what they do.", runner.list,
      fields: [
        ("isRunning", .boolean(observer != nil)),
        // A reference, because what is kept here must not keep the interpreter.
        ("options", .reference(interpreter.lua.makeReference(options))),
      ])
  }
}
