--- Putting back what a journey changed of the world that all journeys of a file share.
local globals = {}

local library <const> = require "luath.expect.library"
local runner <const> = require "luath.runner"

local G <const> = _G
-- Kept here, as a journey may have taken them away where others look for them.
local next, ipairs, rawget, rawset, type = next, ipairs, rawget, rawset, type
local remembered <const>, putBack <const> = runner.remember, runner.restore
local getmetatable, setmetatable = debug.getmetatable, debug.setmetatable
local collectgarbage, input, output = collectgarbage, io.input, io.output
local find <const>, loaded <const> = string.find, package.loaded

--- A table with what `judge` returns for each module's name, called once for each.
local function byName(judge)
  return setmetatable({}, {
    __index = function(known, name)
      local value <const> = judge(name)
      known[name] = value
      return value
    end,
  })
end

--- Whether a module is Lua's or luath's: it is there before the file is, or has luath's prefix.
local isOurs <const> = byName(function(name)
  return type(name) == "string" and find(name, "^luath%.") ~= nil
end)
for name in next, loaded do
  isOurs[name] = true
end

--- Whether scripts use a module of luath's; the engine's own change as journeys go on. Scripts may
--- add checks and placeholders to the first two.
local isForScripts <const> = byName(function(name)
  return name == "luath.expect.own" or name == "luath.expect.any"
    or type(name) == "string" and find(name, "^luath%.?%w*$") ~= nil
end)

--- One value of each type whose values share a metatable.
local BASIC <const> = { "", 0, true, print, coroutine.create(print) }

--- The tables of Lua's library, where a journey may have replaced a function.
local LIBRARY <const> = {
  G, string, table, math, os, io, coroutine, debug, utf8, package, package.preload,
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

--- What was remembered of each table: kept from journey to journey, as little of it changes.
local snapshots <const> = setmetatable({}, { __mode = "k" })

--- Remembers the fields of a table: `of` is the table, `count` the number of its `fields`.
local function remember(from)
  local made = snapshots[from]
  if not made then
    made = { of = from, fields = {}, count = 0 }
    snapshots[from] = made
  end
  made.count = remembered(from, made.fields, made.count)
  return made
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

--- Remembers the metatables of the basic types.
local function basics()
  local metas <const> = {}
  for index, value in ipairs(BASIC) do
    metas[index] = getmetatable(value)
  end
  return metas
end

local function putBackBasics(metas)
  for index, value in ipairs(BASIC) do
    setmetatable(value, metas[index])
  end
end

--- Remembers globals, the functions of Lua's library and luath's, and what else all journeys share.
---
--- For one journey at a time: the next call writes over what this one remembered.
function globals.save()
  library.giveBack()
  local tables <const> = {}
  local saved <const> = {
    meta = getmetatable(G), ofNil = getmetatable(nil), basics = basics(), tables = tables,
    input = input(), output = output(),
  }
  for index, one in ipairs(LIBRARY) do
    tables[index] = remember(one)
  end
  local ofStrings <const> = getmetatable ""
  if ofStrings then
    tables[#tables + 1] = remember(ofStrings)
  end
  for name, module in next, loaded do
    if isForScripts[name] and type(module) == "table" then
      tables[#tables + 1] = remember(module)
    end
  end
  library.borrow()
  return saved
end

--- Puts back what `save` remembered.
function globals.restore(saved)
  library.giveBack()
  putBackBasics(saved.basics)
  setmetatable(nil, saved.ofNil)
  setmetatable(G, saved.meta)
  for _, one in ipairs(saved.tables) do
    putBack(one.of, one.fields, one.count)
  end
  collectgarbage "restart"
  -- What it is from the start; no work when it still is.
  collectgarbage "generational"
  input(saved.input)
  output(saved.output)
  library.borrow()
end

--- The modules of Lua's and luath's that were there when the journey began, and their names.
local names <const>, modules <const>, count = {}, {}, 0

--- Remembers which modules of Lua's and luath's are loaded.
function globals.note()
  count = 0
  for name, module in next, loaded do
    if isOurs[name] then
      count = count + 1
      names[count], modules[count] = name, module
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
  for index = 1, count do
    local name <const> = names[index]
    if rawget(loaded, name) == nil then
      rawset(loaded, name, modules[index])
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
  putBack(G, saved.values, -1)
  for key in next, loaded do
    loaded[key] = saved.loaded[key]
  end
  library.borrow()
end

return globals
