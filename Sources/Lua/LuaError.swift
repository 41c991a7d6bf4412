/// What a host function raises in Lua.
///
/// Unchecked because Swift asks every error to be sendable: the values belong to one Lua state, and
/// the interpreter throws and catches these on that state's thread only.
public enum LuaError: Error, @unchecked Sendable {
  /// A plain sentence; Lua puts the script's line before it.
  case message(String)
  /// An error object: a table with these fields, the place of the call and a traceback.
  case object([(String, LuaValue)])
  /// A value that was caught from Lua, raised again as it was.
  case value(LuaReference)
}

/// Why the host told a script to stop.
public enum LuaStop: Int32, Sendable {
  case time = 1
  case memory = 2
  case interrupt = 3
  case exit = 4
}
