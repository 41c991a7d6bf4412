import CLua
import CShims

/// A scheduled coroutine: runs a Lua function until it ends, fails or waits for an effect of the host.
public final class LuaCoroutine {
  /// How a run ended.
  public enum Outcome {
    case finished([LuaReference])
    case failed(LuaReference, traceback: String)
    case waiting
  }

  let state: LuaState
  let thread: OpaquePointer
  private let anchor: LuaReference
  private var pendingArguments: Int32

  /// Creates a coroutine that calls `function` when it is first resumed.
  public init(_ function: LuaReference, _ arguments: [LuaValue], in state: LuaState) {
    state.requireOpen()
    self.state = state
    guard let thread = lua_newthread(state.main) else {
      fatalError("the machine has no memory left")
    }
    self.thread = thread
    anchor = LuaReference(takingTopOf: state.main, in: state)
    let call = LuaCall(thread: thread, state: state)
    call.push(function)
    for argument in arguments { call.push(argument) }
    pendingArguments = Int32(arguments.count)
  }

  /// The traceback, innermost call first; also available after a stop.
  public var traceback: String {
    guard !state.isClosed else { return "" }
    luath_push_traceback(state.main, thread, nil, 0)
    defer { luath_pop(state.main, 1) }
    return state.call.string(-1) ?? ""
  }

  /// Starts the coroutine, or continues it after a wait.
  public func resume() -> Outcome {
    state.requireOpen()
    var results: Int32 = 0
    let arguments = pendingArguments
    pendingArguments = 0
    let status = luath_resume(state.host, thread, arguments, &results)
    switch status {
    case LUA_YIELD where state.stopReason != nil:
      // Keep the thread's stack: emptying it would run the script's `__close` handlers.
      LuaCall.push("the script was stopped", on: state.main)
      return .failed(LuaReference(takingTopOf: state.main, in: state), traceback: "")
    case LUA_YIELD:
      if luath_waits(thread, results) {
        luath_pop(thread, 1)
        return .waiting
      }
      // Our coroutine.yield refuses such a yield; only a foreign C module gets here.
      lua_settop(thread, 0)
      LuaCall.push("a C module yielded to the host, which luath does not know", on: thread)
      return .failed(LuaReference(takingTopOf: thread, in: state), traceback: "")
    case LUA_OK:
      var values: [LuaReference] = []
      for _ in 0..<results { values.append(LuaReference(takingTopOf: thread, in: state)) }
      return .finished(values.reversed())
    default:
      let traceback = traceback
      return .failed(LuaReference(takingTopOf: thread, in: state), traceback: traceback)
    }
  }
}
