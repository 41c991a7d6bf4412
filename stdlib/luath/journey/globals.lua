--- Putting back what a journey changed of the world that all journeys of a file share.
local globals = {}

local library <const> = require "luath.expect.library"
local runner <const> = require "luath.runner"

local G <const> = _G
-- Kept here, as a journey may have taken them away where others look for them.
local next, ipairs, rawget, rawset, rawequal, type =
  next, ipairs, rawget, rawset, rawequal, type
local getmetatable, setmetatable = debug.getmetatable, debug.setmetatable
local collectgarbage, input, output = collectgarbage, io.input, io.output
local find <const>, loaded <const> = string.find, package.loaded

--- The modules that are there before the file is: Lua's and luath's.
local OWN <const> = {}
for name in next, loaded do
  OWN[name] = true
end

--- One value of each type whose values share a metatable.
local BASIC <const> = { "", 0, true, print, coroutine.create(print) }

--- The tables of Lua's library, where a journey may have replaced a function.
local LIBRARY <const> = {
  string, table, math, os, io, coroutine, debug, utf8, package, package.preload,
}

local function copy(from)
  local made = {}
  for key, value in next, from do
    made[key] = value
  end
  return made
end

--- What the engine cannot do without: its library's functions of strings.
local STRING <const>, META <const>, FUNCTIONS <const> = string, getmetatable "", copy(string)

local function putBack(into, was)
  for key in next, into do
    if was[key] == nil then
      into[key] = nil
    end
  end
  for key, value in next, was do
    if not rawequal(rawget(into, key), value) then
      rawset(into, key, value)
    end
  end
end

if runner.isRunning then
  -- The locale is the process's, in which other files run beside this one.
  local setlocale <const> = os.setlocale
  os.setlocale = function(locale, category)
    local now <const> = setlocale(nil, category)
    -- Nil says that a request cannot be honoured (manual 6.9).
    return (locale == nil or locale == now) and now or nil
  end
end

--- Remembers the metatables of the basic types, and the fields of that of strings.
local function basics()
  local saved = { metas = {}, ofNil = getmetatable(nil), fields = copy(getmetatable "" or {}) }
  for index, value in ipairs(BASIC) do
    saved.metas[index] = getmetatable(value)
  end
  return saved
end

local function putBackBasics(saved)
  for index, value in ipairs(BASIC) do
    setmetatable(value, saved.metas[index])
  end
  setmetatable(nil, saved.ofNil)
  local ofStrings = getmetatable ""
  if ofStrings then
    putBack(ofStrings, saved.fields)
  end
end

--- What a script may add checks and placeholders to.
local CHECKS <const> = { ["luath.expect.own"] = true, ["luath.expect.any"] = true }

--- Remembers globals, the functions of Lua's library and luath's, and what else all journeys share.
function globals.save()
  library.giveBack()
  local saved = {
    meta = getmetatable(G), values = copy(G), library = {}, modules = {}, basics = basics(),
    input = input(), output = output(),
  }
  for index, one in ipairs(LIBRARY) do
    saved.library[index] = copy(one)
  end
  for name, module in next, loaded do
    -- Those that scripts use; the engine's own change as journeys go on.
    local isForScripts = CHECKS[name] or type(name) == "string" and name:find "^luath%.?%w*$"
    if type(module) == "table" and isForScripts then
      saved.modules[module] = copy(module)
    end
  end
  library.borrow()
  return saved
end

--- Puts back what `save` remembered.
function globals.restore(saved)
  library.giveBack()
  putBackBasics(saved.basics)
  setmetatable(G, saved.meta)
  putBack(G, saved.values)
  for index, one in ipairs(LIBRARY) do
    putBack(one, saved.library[index])
  end
  for module, was in next, saved.modules do
    putBack(module, was)
  end
  collectgarbage "restart"
  -- What it is from the start; no work when it still is.
  collectgarbage "generational"
  input(saved.input)
  output(saved.output)
  library.borrow()
end

--- The modules of Lua's and luath's that were there when the journey began.
local modules = {}

--- Remembers which modules of Lua's and luath's are loaded.
function globals.note()
  modules = {}
  for name, module in next, loaded do
    if OWN[name] or type(name) == "string" and find(name, "^luath%.") then
      modules[name] = module
    end
  end
end

--- Puts back at once what was taken away of the functions of strings and of loaded modules: the
--- engine needs them to say how a journey ended.
function globals.mend()
  for key, value in next, FUNCTIONS do
    if rawget(STRING, key) == nil then
      rawset(STRING, key, value)
    end
  end
  if getmetatable "" == nil then
    setmetatable("", META)
  end
  if META and META.__index == nil then
    META.__index = STRING
  end
  for name, module in next, modules do
    if loaded[name] == nil then
      loaded[name] = module
    end
  end
end

--- Remembers what an `insulate` block of busted's puts back: globals and loaded modules.
function globals.insulate()
  library.giveBack()
  local saved = { meta = getmetatable(G), values = copy(G), loaded = copy(loaded) }
  library.borrow()
  return saved
end

--- Puts back what `insulate` remembered.
function globals.expel(saved)
  library.giveBack()
  setmetatable(G, saved.meta)
  putBack(G, saved.values)
  for key in next, loaded do
    loaded[key] = saved.loaded[key]
  end
  library.borrow()
end

return globals
