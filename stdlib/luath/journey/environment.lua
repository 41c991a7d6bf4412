--- The globals of a file with journeys or specs, as busted has them.
---
--- A global that a file writes belongs to the block, hook or test that writes it, and ends with it.
--- A hook's belong to its block. Reading looks from there outwards, then at the words (describe,
--- it, …), then at Lua's globals. Modules that the file requires have Lua's globals alone.
local environment = {}

local tree <const> = require "luath.journey.tree"
local failures <const> = require "luath.journey.failures"
local getinfo = debug.getinfo

local G <const> = _G

--- What every file finds besides Lua's globals.
environment.words = {}

local function read(_, key)
  local one = tree.current
  while one do
    local env = one.env
    local value = env and env[key]
    if value then
      return value
    end
    one = one.parent
  end
  local word = environment.words[key]
  if word ~= nil then
    return word
  end
  return G[key]
end

--- Whose a global is that the current element writes.
local function owner()
  local one = tree.current
  if not one then
    return nil
  elseif one.isHook then
    return one.parent
  elseif one.kind == "expose" then
    return one.parent.parent or one.parent
  end
  return one
end

local function write(_, key, value)
  local one = owner()
  if not one then
    G[key] = value
    return
  end
  one.env = one.env or {}
  one.env[key] = value
end

local env <const> = setmetatable({}, { __index = read, __newindex = write })

--- The main function of the file that is being loaded: the outermost one that is not luath's.
local function fileFunction()
  local level, found = 3, nil
  local info = getinfo(level, "fS")
  while info do
    if info.what == "main" and not failures.isLibrary(info.source) then
      found = info
    end
    level = level + 1
    info = getinfo(level, "fS")
  end
  return found
end

local metatable, plainAssert

--- Gives a file its globals. Everything in it shares the variable `_ENV` of its main function.
local function adopt(info)
  environment.release()
  for index = 1, 255 do
    local name = debug.getupvalue(info.func, index)
    if name == "_ENV" then
      debug.setupvalue(info.func, index, env)
      return
    elseif not name then
      return
    end
  end
end

--- Adopts the file when a metamethod is called by code in it; returns whether it is.
local function adoptCaller()
  local info, caller = fileFunction(), getinfo(3, "S")
  if info and caller and caller.source == info.source then
    adopt(info)
    return true
  end
end

--- Adopts the file when it declares its first journey, if it has not been before.
function environment.notice()
  if metatable then
    local info = fileFunction()
    if info then
      adopt(info)
    end
  end
end

--- Waits for the file: whoever first reads or writes a global that Lua does not have is looked at.
function environment.await()
  plainAssert = G.assert
  metatable = {}

  function metatable.__index(_, key)
    if adoptCaller() then
      return read(nil, key)
    elseif key == "assert" then
      return plainAssert
    end
    -- Modules that help specs may say `describe` without being a spec.
    return environment.words[key]
  end

  function metatable.__newindex(_, key, value)
    if adoptCaller() then
      return write(nil, key, value)
    end
    rawset(G, key, value)
  end

  -- Absent, so that the file's first use is noticed; `release` puts it back.
  G.assert = nil
  setmetatable(G, metatable)
end

--- Ends the waiting.
function environment.release()
  if not metatable then
    return
  end
  if getmetatable(G) == metatable then
    setmetatable(G, nil)
  end
  if rawget(G, "assert") == nil then
    rawset(G, "assert", plainAssert)
  end
  metatable = nil
end

return environment
