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

  /// The string, or nil.
  public static func string(ifAny text: String?) -> LuaValue {
    text.map(LuaValue.string) ?? .nil
  }
}

/// An error that a host function raises in Lua.
///
/// Unchecked, because Swift requires every error to be `Sendable`: the values belong to one Lua state,
/// and the interpreter throws and catches these errors on that state's thread only.
public enum LuaError: Error, @unchecked Sendable {
  /// A plain message; Lua prepends the script's file and line.
  case message(String)
  /// An error object: a table with these fields, the position of the call and a traceback.
  case object([(String, LuaValue)])
  /// A value caught from Lua, raised again unchanged.
  case value(LuaReference)
}

/// Why the host stopped a script.
public enum LuaStop: Int32, Sendable {
  case time = 1
  case memory = 2
  case interrupt = 3
  case exit = 4
}
