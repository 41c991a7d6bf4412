import Lua

extension LuaCall {
  /// Reads a field of a table of options; nil when the call has no such table, or the table no such
  /// field.
  func option<R>(_ index: Int, _ name: String, _ body: (LuaCall, Int) -> R?) -> R? {
    guard isTable(index) else { return nil }
    return field(index, name) { $0.isNil($1) ? nil : body($0, $1) }
  }
}
