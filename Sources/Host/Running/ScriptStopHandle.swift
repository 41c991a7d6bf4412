import HTTP
public import Lua

/// Stops a running script from any thread.
public struct ScriptStopHandle: Sendable {
  let lua: LuaStopHandle
  let loop: EventLoop
  let interpreter: OnLoop<Interpreter>

  /// Stops the script: running code at its next instruction, a wait immediately.
  public func request(_ reason: LuaStop) {
    let thread = loop.pthread
    if thread != 0 { lua.request(reason, thread: UInt(thread)) }
    let interpreter = interpreter
    loop.perform { interpreter.value.stopRequested() }
  }

  /// Makes running code raise "interrupted", which the script may catch; does not affect waits.
  public func interruptComputation() {
    let thread = loop.pthread
    if thread != 0 { lua.interrupt(thread: UInt(thread)) }
  }

  /// Makes the current call fail: its waits are cancelled, and running code raises "interrupted".
  ///
  /// Unlike a stop, it does not affect the rest of the state, and the script may catch the error.
  public func interruptCall() {
    let thread = loop.pthread
    if thread != 0 { lua.interrupt(thread: UInt(thread)) }
    let interpreter = interpreter
    loop.perform { interpreter.value.cancelCall() }
  }
}
