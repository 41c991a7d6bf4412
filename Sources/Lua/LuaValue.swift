/// A value to push into Lua.
public indirect enum LuaValue {
  case `nil`
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  /// A string of bytes that need not be UTF-8.
  case bytes([UInt8])
  case list([LuaValue])
  /// A table with string keys; fields that are nil are left out.
  case record([(String, LuaValue)])
  case object(LuaClass, AnyObject)
  /// A value that already exists in Lua.
  case reference(LuaReference)
  case function(LuaFunction)
  /// Pushed by a closure, which must push exactly one value.
  case pushed((LuaCall) -> Void)
}

extension LuaValue {
  /// The string, or nil.
  public static func string(ifAny text: String?) -> LuaValue {
    text.map(LuaValue.string) ?? .nil
  }
}
