import CLua
import CShims

/// A hold on a Lua value from outside Lua; used and let go on the state's own thread.
public final class LuaReference {
  weak var state: LuaState?
  let key: Int32

  /// Takes the value on top of the stack. [-1, +0, m]
  init(takingTopOf thread: OpaquePointer, in state: LuaState) {
    self.state = state
    key = luaL_ref(thread, luath_registry_index())
  }

  deinit {
    if let state, !state.closed { luaL_unref(state.main, luath_registry_index(), key) }
  }
}
