--- Debian's luassert and say inside luath: `assert`, `spy`, `stub`, `mock` and `match` of specs.
---
--- The build embeds Debian's files unchanged, as `luath.debian.*`. This adapter makes their failed
--- assertions failures of `luath.expect`, with place, source and difference.
--
-- The notice of luassert and say, which every copy of the program has to carry:
--
-- Copyright (c) 2012-2018 Olivine Labs, LLC.
--
-- Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
-- associated documentation files (the "Software"), to deal in the Software without restriction,
-- including without limitation the rights to use, copy, modify, merge, publish, distribute,
-- sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
-- furnished to do so, subject to the following conditions:
--
-- The above copyright notice and this permission notice shall be included in all copies or
-- substantial portions of the Software.
--
-- THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
-- NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
-- NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
-- DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
-- OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
local modules = {}

local diff <const> = require "luath.expect.diff"
local failure <const> = require "luath.expect.failure"
local library <const> = require "luath.expect.library"

--- The names that scripts require.
local NAMES <const> = {
  "luassert", "luassert.array", "luassert.assert", "luassert.assertions", "luassert.compatibility",
  "luassert.formatters", "luassert.formatters.binarystring", "luassert.init", "luassert.match",
  "luassert.matchers", "luassert.matchers.composite", "luassert.matchers.core", "luassert.mock",
  "luassert.modifiers", "luassert.namespaces", "luassert.spy", "luassert.state", "luassert.stub",
  "luassert.util", "say",
}
for language in ("ar de en fr is ja nl ru ua zh"):gmatch "%a+" do
  NAMES[#NAMES + 1] = "luassert.languages." .. language
end

--- Debian's modules by name. `term` colours what it is given, and here it does not.
local loaded <const> = {
  term = {
    colors = setmetatable({}, {
      __index = function()
        return tostring
      end,
    }),
  },
}

--- What is done with a module of Debian's when it is loaded, by name.
local adapt <const> = {}

--- The globals of Debian's files: no terminal, no files, nothing that a script replaced.
local GLOBALS <const> = {
  assert = assert, debug = debug, getmetatable = getmetatable, ipairs = ipairs, math = math,
  next = next, pairs = pairs, pcall = pcall, rawequal = rawequal, rawget = rawget, rawset = rawset,
  select = select, setmetatable = setmetatable, string = string, table = table,
  tonumber = tonumber, tostring = tostring, type = type,
  io = { type = function() end }, os = { getenv = function() end }, print = function() end,
  package = { config = package.config },
}

--- Raises a mistake of the script, at its line.
local function refuse(message)
  failure.refuse("%s", tostring(message))
end

--- The lines in which the tables of a failed `same` differ, by coroutine.
local differences <const> = setmetatable({}, { __mode = "k" })

local function drop() end

--- Raises a failure at the script's line, or so many calls further out.
local function raise(message, outwards, lines)
  library.borrow()
  local raised <const> =
    failure.make({ message = message, isBrief = true, diff = lines }, outwards)
  -- The message of an error that was caught has its place already.
  local prefix <const> = raised.where and raised.where .. ": " or ""
  if type(message) == "string" and message:sub(1, #prefix) == prefix then
    raised.message = message:sub(#prefix + 1)
  end
  library.giveBack()
  error(raised, 0)
end

--- The code of one of Debian's files.
local function find(name)
  for _, searcher in ipairs(package.searchers) do
    local chunk <const> = searcher("luath.debian." .. name)
    if type(chunk) == "function" then
      return chunk
    end
  end
  error(("luath was built without '%s' of Debian's lua-luassert and lua-say"):format(name), 0)
end

--- Loads a module of Debian's. All scripts of a state share it, whatever they do to package.loaded.
---
---@param name string as scripts require it
function modules.require(name)
  if loaded[name] == nil then
    local chunk <const> = find(name)
    local globals <const> = setmetatable({ require = modules.require }, { __index = GLOBALS })
    -- Only this file raises failures of assertions; the others raise mistakes of the script.
    globals.error = name == "luassert.assert" and function(message)
      raise(message, 0, differences[coroutine.running()])
    end or refuse
    -- The first upvalue of a chunk is its `_ENV` (manual 4.4, lua_load).
    debug.setupvalue(chunk, 1, globals)
    local module <const> = chunk(name)
    loaded[name] = module == nil or module
    if adapt[name] then
      adapt[name](module)
    end
  end
  return loaded[name]
end

--- Has scripts reach a function through an entry, so that `return assert.equal(…)` keeps its line.
local function enter(metatable, call)
  metatable.__call = entry(call or metatable.__call)
end

adapt["luassert.assert"] = function(assert)
  enter(getmetatable(assert), function(self, value, message, level, ...)
    if value then
      failure.pass()
      return value, message, level, ...
    elseif type(message) == "table" then
      error(message, 0) -- as Lua's own: `assert(luath.try(f))` raises what `f` raised
    end
    local outwards <const> = (self:get_level(level) or 1) - 1
    raise(message or "assertion failed!", math.max(0, outwards))
  end)

  local chain <const> = getmetatable(assert.state())
  local call <const> = chain.__call
  local function pass(self, ...)
    if not rawequal(self, (...)) then -- else the chain goes on
      failure.pass()
    end
    return ...
  end
  enter(chain, function(self, ...)
    return pass(self, call(self, ...))
  end)

  local format <const> = assert.format
  local isCall <const> = modules.require("luassert.util").is_arglist
  --- Puts arguments into words, in place. An assertion that failed passes the list of its call, and
  --- `raise` gives back what is borrowed for it here.
  function assert.format(self, arguments)
    if isCall(arguments) then
      library.borrow()
      local options <const> = arguments.fmtargs and arguments.fmtargs[1]
      local lines
      if type(options) == "table" and options.crumbs then
        lines = select(2, xpcall(diff.lines, drop, arguments[1], arguments[2]))
      end
      differences[coroutine.running()] = lines
    end
    return format(self, arguments)
  end
end

adapt["luassert.match"] = function(match)
  enter(getmetatable(match.state()))
  -- Debian's formatter cannot print `match._` without these.
  match._.name, match._.arguments = "_", modules.require("luassert.util").make_arglist()
end

adapt["luassert.util"] = function(util)
  --- The level of the first caller outside the file that calls this, without luath's frames.
  function util.errorlevel(level)
    level = (level or 1) + 1
    local info = debug.getinfo(level, "Sl")
    local file <const> = info and info.source
    while info and (info.source == file or failure.isOwn(info)) do
      level = level + 1
      info = debug.getinfo(level, "Sl")
    end
    return level - 1
  end
end

--- Provides the names.
---
---@param preload table package.preload
function modules.install(preload)
  for _, name in ipairs(NAMES) do
    preload[name] = modules.require
  end
end

return modules
