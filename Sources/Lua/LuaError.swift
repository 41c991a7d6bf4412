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
