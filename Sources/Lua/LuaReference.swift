import CLua
import CShims

/// Keeps a Lua value alive for Swift; used and released on the state's own thread.
public final class LuaReference {
  let key: Int32
  private let registry: Registry

  /// Pops the value on top of the stack. [-1, +0, m]
  init(takingTopOf thread: OpaquePointer, in state: LuaState) {
    registry = state.registry
    key = luaL_ref(thread, luath_registry_index())
  }

  deinit { registry.release(key) }
}

/// Access to the Lua registry, which holds the referenced values; disabled once the state is closed.
///
/// A separate object, because a weak reference to the state would slow down every retain of it.
final class Registry {
  private var main: OpaquePointer?

  init(_ main: OpaquePointer) { self.main = main }

  func release(_ key: Int32) {
    if let main { luaL_unref(main, luath_registry_index(), key) }
  }

  func close() { main = nil }
}
