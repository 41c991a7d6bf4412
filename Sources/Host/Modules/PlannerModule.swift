public import Client
import HTTP
import IdentityToolkit
import Lua
public import System

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
      "planned", "Reports the plan of a row.",
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
    planner.add(
      "isSecretName", "Whether a name is that of a secret, which no argument may be.",
      [LuaParameter("name", .string)], returns: "true or false"
    ) { call in
      call.push(SecretNames.isCertain(call.string(1) ?? ""))
      return .results(1)
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
    // A reference, because the closure of the pushed value would retain the interpreter.
    let given = interpreter.context.batch.map { scope in
      var object: JSONObject = ["args": .object(scope.arguments)]
      object["tenantID"] = scope.tenantID.map(JSON.string)
      let value = JSONBridge.value(.object(object), interpreter)
      return ("given", LuaValue.reference(interpreter.lua.makeReference(value)))
    }
    return Module(
      "luath.planner", "How luath.batch receives rows and returns their plans.", planner.list,
      fields: given.map { [$0] } ?? [])
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
        // As the backend stores it, and as the checks of the plan read it.
        case "phone"?: ["phoneNumber": .string(PhoneNumber.normalized(name) ?? name)]
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

/// The answer to a planning worker's request for a row.
public enum PlanTurn {
  case row(Int64, JSONObject)
  /// No row yet: earlier rows must be finished first.
  case later
  case end
}

/// Provides the rows of a batch that a script plans; called on the thread of the script's loop.
public protocol RowPlanner: AnyObject {
  func next() -> PlanTurn

  /// Calls `ready` once when `next` may return another row, but not before this function returns.
  func whenReady(_ ready: @escaping () -> Void)

  /// Receives the script's plan for a row: `key`, one of `do`, `skip` and `refused`, and `why`.
  func planned(_ row: Int64, _ answer: JSONObject)

  /// Looks up the accounts of several identifiers for a row; calls `done` once, synchronously or later, with a list
  /// of accounts per identifier.
  func lookUp(
    _ identifiers: [UserIdentifier], for row: Int64,
    _ done: @escaping (Result<[[UserRecord]], AdminError>) -> Void)
}

/// The rows of a batch that a script is currently planning, and the time each has taken.
public final class RowPlanning {
  private struct Turn {
    let job: Job
    var seconds = 0
  }

  /// The provider of the rows; nil when the script plans none.
  public var planner: (any RowPlanner)?
  /// The time limit for planning one row, in seconds.
  public var secondsPerRow = 30
  private var turns: [Int64: Turn] = [:]
  private var overdue: Set<Int64> = []
  private var isTicking = false

  /// Records that a job begins to plan a row.
  func begin(_ row: Int64, _ job: Job, on interpreter: Interpreter) {
    turns[row] = Turn(job: job)
    tick(interpreter)
  }

  /// Records the end of planning a row; true when its time had expired.
  func end(_ row: Int64) -> Bool {
    turns[row] = nil
    return overdue.remove(row) != nil
  }

  /// The row whose planning a stop has ended, with the traceback.
  public var stopped: (row: Int64, traceback: String)? {
    for (row, turn) in turns where turn.job.ended {
      return (row, turn.job.coroutine.traceback)
    }
    return nil
  }

  /// Counts only seconds in which the loop could run, so that one row's long computation does not use up the time
  /// of other rows.
  private func tick(_ interpreter: Interpreter) {
    guard !isTicking else { return }
    isTicking = true
    interpreter.actor.loop.schedule(after: .seconds(1)) { [weak self, weak interpreter] in
      guard let self, let interpreter else { return }
      isTicking = false
      for (row, turn) in turns {
        turns[row]?.seconds = turn.seconds + 1
        guard turn.seconds + 1 > secondsPerRow, !turn.job.ended else { continue }
        overdue.insert(row)
        turn.job.effect?.cancel()
      }
      if !turns.isEmpty { tick(interpreter) }
    }
  }
}
