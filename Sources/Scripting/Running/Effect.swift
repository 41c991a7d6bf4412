import Lua

/// Work a script waits for; runs on the script's thread and gives the call's results.
typealias Effect = () async throws(LuaError) -> [LuaValue]

/// What a call waits for.
enum Wait {
  /// Work that awaits in its turn, in a task of its own.
  case effect(Effect)
  /// One event of the loop, which needs no task.
  case event(Event)
}

/// Begins something and gives what cancels it.
///
/// It ends with one call of `done` on the loop's thread. What cancels only asks: it calls nobody at
/// once, as the asking script is running.
typealias Event = (_ done: @escaping (Result<[LuaValue], LuaError>) -> Void) -> () -> Void

/// A wait that has begun.
enum BegunWait {
  case task(Task<Void, Never>)
  case event(cancel: () -> Void)

  func cancel() {
    switch self {
    case .task(let task): task.cancel()
    case .event(let cancel): cancel()
    }
  }
}

/// Carries a value to work on the same event loop.
///
/// Unchecked, because only the interpreter makes these, and only for tasks of the actor whose
/// executor is its own loop: the value is made, used and dropped on that one thread.
struct OnLoop<Value>: @unchecked Sendable {
  let value: Value
}
