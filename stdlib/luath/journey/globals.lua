--- Putting back what a journey changed of the world that all journeys of a file share.
local globals = {}

local G <const> = _G

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

--- Remembers globals and the functions of Lua's library.
function globals.save()
  local saved = { meta = debug.getmetatable(G), values = copy(G), library = {} }
  for index, one in ipairs(LIBRARY) do
    saved.library[index] = copy(one)
  end
  return saved
end

--- Puts back what `save` remembered.
function globals.restore(saved)
  debug.setmetatable(G, saved.meta)
  putBack(G, saved.values)
  for index, one in ipairs(LIBRARY) do
    putBack(one, saved.library[index])
  end
end

--- Remembers what an `insulate` block of busted's puts back: globals and loaded modules.
function globals.insulate()
  return { meta = debug.getmetatable(G), values = copy(G), loaded = copy(package.loaded) }
end

--- Puts back what `insulate` remembered.
function globals.expel(saved)
  debug.setmetatable(G, saved.meta)
  for key in next, G do
    rawset(G, key, saved.values[key])
  end
  for key, value in next, saved.values do
    if rawget(G, key) == nil then
      rawset(G, key, value)
    end
  end
  for key in next, package.loaded do
    package.loaded[key] = saved.loaded[key]
  end
end

return globals
