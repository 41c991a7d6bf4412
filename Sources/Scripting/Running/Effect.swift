import Lua

/// Work a script waits for; runs on the script's thread and gives the call's results.
typealias Effect = () async throws(LuaError) -> [LuaValue]

/// Carries a value to work on the same event loop.
///
/// Unchecked, because only the interpreter makes these, and only for tasks of the actor whose
/// executor is its own loop: the value is made, used and dropped on that one thread.
struct OnLoop<Value>: @unchecked Sendable {
  let value: Value
}
