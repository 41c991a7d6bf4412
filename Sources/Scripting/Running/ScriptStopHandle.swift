import HTTP
public import Lua

/// Stops a running script from any thread.
public struct ScriptStopHandle: Sendable {
  let lua: LuaStopHandle
  let loop: EventLoop
  let interpreter: OnLoop<Interpreter>

  /// Stops the script: running code at its next instruction, a wait at once.
  public func request(_ reason: LuaStop) {
    let thread = loop.pthread
    if thread != 0 { lua.request(reason, thread: UInt(thread)) }
    let interpreter = interpreter
    loop.perform { interpreter.value.stopRequested() }
  }

  /// Makes what computes at this moment raise "interrupted", which a script may catch; what waits is left alone.
  public func interruptComputation() {
    let thread = loop.pthread
    if thread != 0 { lua.interrupt(thread: UInt(thread)) }
  }

  /// Makes the call at hand fail: what it waits for ends, and what computes raises "interrupted".
  ///
  /// Unlike a stop, it leaves everything else of the state as it is; and a script may catch it.
  public func interruptCall() {
    let thread = loop.pthread
    if thread != 0 { lua.interrupt(thread: UInt(thread)) }
    let interpreter = interpreter
    loop.perform { interpreter.value.cancelCall() }
  }
}
