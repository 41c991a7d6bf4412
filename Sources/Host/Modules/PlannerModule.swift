import Client
import System
import HTTP
import IdentityToolkit
import Lua

enum PlannerModule {
  static func make(_ interpreter: Interpreter) -> Module {
    var planner = Declarations(interpreter, owner: "planner")
    planner.add(
      "next", "The next row to plan.", [],
      returns: "its number and the row; false when none is ready; nil behind the last"
    ) { [unowned interpreter] call in
      guard let planner = interpreter.planning.planner, let job = interpreter.currentJob else {
        return .results(0)
      }
      switch planner.next() {
      case .row(let number, let fields):
        interpreter.planning.begin(number, job, on: interpreter)
        call.push(number)
        JSONBridge.push(.object(fields), on: call, interpreter)
        return .results(2)
      case .later:
        call.push(false)
        return .results(1)
      case .end: return .results(0)
      }
    }
    planner.wait("ready", "Waits until another row may be there.") {
      [unowned interpreter] _ -> Wait in
      guard let planner = interpreter.planning.planner else {
        return TaskModule.sleep(.zero, interpreter)
      }
      return event(interpreter) { done in planner.whenReady { done(.success([])) } }
    }
    planner.add(
      "planned", "Tells what is to become of a row.",
      [LuaParameter("row", .integer), LuaParameter("plan", .table)]
    ) { [unowned interpreter] call throws(LuaError) in
      let number = call.integer(1) ?? 0
      var answer = try JSONBridge.read(call, 2).object ?? JSONObject()
      if interpreter.planning.end(number) {
        answer["do"] = nil
        answer["skip"] = nil
        answer["refused"] = [
          "code": "timeout",
          "message": .string(
            "plan did not end within \(interpreter.planning.secondsPerRow) seconds"),
        ]
      }
      interpreter.planning.planner?.planned(number, answer)
      return .results(0)
    }
    planner.wait(
      "lookUp", "Looks accounts up, together with what other rows ask at the same time.",
      [
        LuaParameter("row", .integer), LuaParameter("kind", .string, "uid, email, phone, provider"),
        LuaParameter("names", .list(.string)),
        LuaParameter("providerId", .string, optional: true),
      ], returns: "a list with a list of accounts for each name"
    ) { [unowned interpreter] (call) throws(LuaError) -> Wait in
      let number = call.integer(1) ?? 0
      let identifiers = try identifiers(call, interpreter)
      guard let planner = interpreter.planning.planner else {
        throw .object([
          ("code", .string("notPlanning")), ("message", .string("no plan is being made")),
          ("hint", .string("accounts are for plan, which luath batch plan calls")),
        ])
      }
      return event(interpreter) { done in
        planner.lookUp(identifiers, for: number) { result in
          switch result {
          case .success(let found):
            done(
              .success([
                JSONBridge.list(found.map { JSONBridge.list($0.map(interpreter.value)) })
              ]))
          case .failure(let error): done(.failure(interpreter.luaError(error)))
          }
        }
      }
    }
    return Module(
      "luath.planner", "How luath.batch gets rows and gives their plans back.", planner.list)
  }

  /// A wait that ends, or is cancelled, on the loop's thread.
  private static func event(
    _ interpreter: Interpreter,
    _ begin: @escaping (_ done: @escaping (Result<[LuaValue], LuaError>) -> Void) -> Void
  ) -> Wait {
    let loop = interpreter.actor.loop
    return .event { done in
      let once = Once(done)
      begin { once.end($0) }
      let waiter = OnLoop(value: once)
      return { loop.perform { waiter.value.end(.failure(TaskErrors.cancelled)) } }
    }
  }

  private static func identifiers(
    _ call: LuaCall, _ interpreter: Interpreter
  ) throws(LuaError) -> [UserIdentifier] {
    let provider = call.isNil(4) ? nil : call.string(4)
    var identifiers: [UserIdentifier] = []
    for (index, name) in call.strings(3).enumerated() {
      let json: JSON =
        switch call.string(2) {
        case "uid"?: ["uid": .string(name)]
        case "email"?: ["email": .string(name)]
        case "phone"?: ["phoneNumber": .string(name)]
        default: ["providerID": .string(provider ?? ""), "providerUID": .string(name)]
        }
      identifiers.append(
        try interpreter.adminChecked { () throws(AdminError) in
          try UserIdentifier(json, index + 1)
        })
    }
    return identifiers
  }
}

/// Passes on only the first result.
private final class Once {
  private var done: ((Result<[LuaValue], LuaError>) -> Void)?

  init(_ done: @escaping (Result<[LuaValue], LuaError>) -> Void) { self.done = done }

  func end(_ result: Result<[LuaValue], LuaError>) { done.take()?(result) }
}
