import CLua
import CShims
public import System

extension SystemLibrary {
  /// The Lua library that runs the scripts.
  public static var lua: SystemLibrary {
    // The only place with the loaded library's release number: `$LuaVersion: Lua 5.4.4  Copyright (C) …`.
    let words = String(cString: luath_lua_identity()).split(separator: " ")
    return SystemLibrary(
      "Lua", words.count > 2 ? String(words[2]) : nil,
      headers: "\(LUA_VERSION_MAJOR).\(LUA_VERSION_MINOR).\(LUA_VERSION_RELEASE)")
  }
}
