import Lua

/// Work that a script waits for; runs on the script's thread and returns the call's results.
typealias Effect = () async throws(LuaError) -> [LuaValue]

enum Wait {
  /// Asynchronous work, in a separate task.
  case effect(Effect)
  /// One event of the loop; needs no task.
  case event(Event)
}

/// Starts an operation and returns the closure that cancels it.
///
/// The operation calls `done` exactly once, on the loop's thread. Cancelling only requests the end and never
/// calls `done` synchronously, as the script that cancels is still running.
typealias Event = (_ done: @escaping (Result<[LuaValue], LuaError>) -> Void) -> () -> Void

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

/// Passes a value to a closure on the same event loop.
///
/// Unchecked, because only the interpreter creates these, and only for closures on its own loop: the value is
/// created, used and released on that one thread.
struct OnLoop<Value>: @unchecked Sendable {
  let value: Value
}
