/// The names of Lua's standard library, with links to Lua's manual.
extension Catalogue {
  /// The address in Lua's manual for a name; nil when the name is not Lua's.
  static func luaAddress(of name: String) -> String? {
    let manual = "https://www.lua.org/manual/5.4/manual.html#"
    if let section = luaLibraries[name] { return manual + section }
    let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      .map(String.init)
    // `.load` is a command of the prompt.
    guard parts.first != "" else { return nil }
    let members = luaFunctions[parts.count > 1 ? parts[0] : ""] ?? []
    guard let member = parts.last, members.contains(member) else { return nil }
    return "\(manual)pdf-\(name)"
  }

  private static let luaLibraries = [
    "coroutine": "6.2", "package": "6.3", "string": "6.4", "utf8": "6.5", "table": "6.6",
    "math": "6.7", "io": "6.8", "os": "6.9", "debug": "6.10",
  ]

  /// The members of each library, from the index of the manual.
  private static let luaFunctions: [String: Set<String>] = [
    "": [
      "_G", "_VERSION", "assert", "collectgarbage", "dofile", "error", "getmetatable", "ipairs",
      "load", "loadfile", "next", "pairs", "pcall", "print", "rawequal", "rawget", "rawlen",
      "rawset", "require", "select", "setmetatable", "tonumber", "tostring", "type", "warn",
      "xpcall",
    ],
    "coroutine": [
      "close", "create", "isyieldable", "resume", "running", "status", "wrap", "yield",
    ],
    "debug": [
      "debug", "gethook", "getinfo", "getlocal", "getmetatable", "getregistry", "getupvalue",
      "getuservalue", "sethook", "setlocal", "setmetatable", "setupvalue", "setuservalue",
      "traceback", "upvalueid", "upvaluejoin",
    ],
    "io": [
      "close", "flush", "input", "lines", "open", "output", "popen", "read", "stderr", "stdin",
      "stdout", "tmpfile", "type", "write",
    ],
    "math": [
      "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log",
      "max", "maxinteger", "min", "mininteger", "modf", "pi", "rad", "random", "randomseed", "sin",
      "sqrt", "tan", "tointeger", "type", "ult",
    ],
    "os": [
      "clock", "date", "difftime", "execute", "exit", "getenv", "remove", "rename", "setlocale",
      "time", "tmpname",
    ],
    "package": [
      "config", "cpath", "loaded", "loadlib", "path", "preload", "searchers", "searchpath",
    ],
    "string": [
      "byte", "char", "dump", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack",
      "packsize", "rep", "reverse", "sub", "unpack", "upper",
    ],
    "table": ["concat", "insert", "move", "pack", "remove", "sort", "unpack"],
    "utf8": ["char", "charpattern", "codepoint", "codes", "len", "offset"],
  ]
}
