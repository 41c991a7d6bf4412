import Lua

extension LuaCall {
  /// Reads a field of an options table; nil when the table or the field is missing.
  func option<R>(_ index: Int, _ name: String, _ body: (LuaCall, Int) -> R?) -> R? {
    guard isTable(index) else { return nil }
    return field(index, name) { $0.isNil($1) ? nil : body($0, $1) }
  }
}
