import System
import IdentityToolkit
import Lua

enum RunnerModule {
  static func make(_ interpreter: Interpreter) -> Module {
    let observer = interpreter.context.observer
    var runner = Declarations(interpreter, owner: "runner")
    runner.add(
      "emit", "Reports a step, an assertion or a line of the log.",
      [
        LuaParameter("kind", .string, "step.start, step.end, assert or log"),
        LuaParameter("fields", .table),
      ]
    ) { call throws(LuaError) in
      observer?.emitted(call.string(1) ?? "", try JSONBridge.readSpellingOut(call, 2))
      return .results(0)
    }
    runner.add(
      "secret", "Keeps a text out of all reports of the run.",
      [LuaParameter("text", .secret)], returns: "the text"
    ) { [unowned interpreter] call in
      let text = call.string(1) ?? ""
      interpreter.mark(secret: text)
      call.push(text)
      return .results(1)
    }
    runner.add(
      "field", "Hides what a field holds if its name is one of secrets.",
      [LuaParameter("name", .bytes), LuaParameter("value", .bytes)],
      returns: "whether it must not be shown there"
    ) { call in
      // A key or value that is not text is no secret's name and no secret.
      let name = call.string(1) ?? ""
      let value = call.string(2) ?? ""
      let isSecret = SecretNames.isSecretField(name, value)
      if isSecret {
        observer?.marked(secret: value, kind: SecretNames.kind(of: name), isSetting: false)
      }
      let isError = ErrorCode(rawValue: value) != nil
      let isHidden = isSecret || SecretNames.isHidden(value, inField: name)
      call.push(observer != nil && isHidden && !isError)
      return .results(1)
    }
    runner.add(
      "label", "What stands for a text that is a secret as a whole, such as [password 1].",
      [
        LuaParameter("text", .string),
        LuaParameter("name", .string, optional: true, "of the field that it is in"),
      ], returns: "the label, or nil if the text may be shown"
    ) { call in
      call.push(
        .string(ifAny: observer?.label(of: call.string(1) ?? "", under: call.string(2))))
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
      "snapshot", "Compares a value with a snapshot of the journey, or writes the snapshot.",
      [LuaParameter("value", .any), LuaParameter("name", .string, optional: true)],
      returns: "a table with `status` and what explains it; nil outside of a journey"
    ) { [unowned interpreter] call in
      let answer: JSON?
      do throws(JSONBridge.Unwritable) {
        answer = observer?.snapshot(try JSONBridge.json(call, 1), named: call.string(2))
      } catch {
        answer = [
          "status": "refused",
          "message": .string("\(error.what), at \(error.place)\(error.question)"),
        ]
      }
      call.push(answer.map { JSONBridge.value($0, interpreter) } ?? .nil)
      return .results(1)
    }
    runner.add(
      "made", "Notes a name that no other run has, for snapshots.", [LuaParameter("name", .string)]
    ) { call in
      observer?.made(call.string(1) ?? "")
      return .results(0)
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
      // `nil` alone would be inferred as JSON's null.
      observer?.release(call.string(1) ?? "", value == .null ? Optional<JSON>.none : value)
      return .results(0)
    }
    runner.add(
      "remember", "Copies the fields of a table to another, without metamethods.",
      [
        LuaParameter("table", .table), LuaParameter("fields", .table),
        LuaParameter("known", .integer, "how many are in `fields`"),
      ], returns: "the number of fields"
    ) { call in
      call.push(call.rememberFields(of: 1, in: 2, known: call.integer(3) ?? 0))
      return .results(1)
    }
    runner.add(
      "restore", "Sets the fields of a table to those remembered, and removes all others.",
      [
        LuaParameter("table", .table), LuaParameter("fields", .table),
        LuaParameter("count", .integer, "how many are in `fields`; -1 when unknown"),
      ]
    ) { call in
      call.restoreFields(of: 1, from: 2, count: call.integer(3) ?? -1)
      return .results(0)
    }
    addTasks(to: &runner, interpreter)
    runner.wait(
      "pause", "Opens the prompt, and waits until its user goes on.",
      [LuaParameter("spot", .table, "reason, journey, steps, file, line, next, number")],
      returns:
        "continue or step; wait after the pause of another task, when the call is to be repeated"
    ) { [unowned interpreter] call throws(LuaError) in
      if let refusal = interpreter.pauseRefusal { throw refusal }
      let spot = PauseSpot(try JSONBridge.readSpellingOut(call, 1))
      return { () async throws(LuaError) in
        if await interpreter.waitForPause() { return [.string("wait")] }
        return [.string(try await interpreter.pauseCall(at: spot).rawValue)]
      }
    }
    addEvidence(to: &runner, interpreter)
    runner.add(
      "exchangeCount", "How many HTTP exchanges there were in this journey so far.", [],
      returns: "integer"
    ) { call in
      call.push(Int64(observer?.exchangeCount ?? 0))
      return .results(1)
    }
    let options = JSONBridge.value(observer?.options ?? [:], interpreter)
    return Module(
      "luath.runner", "How journeys report their progress to the runner.", runner.list,
      fields: [
        ("isRunning", .boolean(observer?.recordsJourneys ?? false)),
        // A reference, because the closure of the pushed value would retain the interpreter.
        ("options", .reference(interpreter.lua.makeReference(options))),
      ])
  }

  private static func lifetime(_ call: LuaCall) throws(LuaError) -> TaskLifetime {
    guard let lifetime = TaskLifetime(rawValue: call.string(1) ?? "") else {
      throw .message("bad argument #1 (journey, hooks, file or run expected)")
    }
    return lifetime
  }

  private static func addTasks(to runner: inout Declarations, _ interpreter: Interpreter) {
    let parameter = LuaParameter("lifetime", .string, "journey, hooks, file or run")
    runner.add(
      "lifetime",
      "Sets how long what the caller opens and spawns from now on lasts, such as a page or a task.",
      [parameter], returns: "the lifetime before"
    ) { [unowned interpreter] call throws(LuaError) in
      call.push(interpreter.setLifetime(try lifetime(call)).rawValue)
      return .results(1)
    }
    runner.add(
      "tasks", "How many tasks of a lifetime go on; of file also those of hooks and run.",
      [parameter],
      returns: "integer; whether a task that is not awaited has failed"
    ) { [unowned interpreter] call throws(LuaError) in
      let lifetime = try lifetime(call)
      call.push(Int64(interpreter.tasks(lifetime).count))
      call.push(interpreter.hasUnseenFailures(isLast: lifetime.isWide))
      return .results(2)
    }
    runner.wait(
      "awaitTasks", "Waits for the tasks that runner.tasks counts.", [parameter]
    ) { [unowned interpreter] call throws(LuaError) in
      let wanted = try lifetime(call)
      let job = interpreter.currentJob
      return { () async throws(LuaError) in
        try await interpreter.awaitTasks(wanted, for: job)
        return []
      }
    }
  }
}
