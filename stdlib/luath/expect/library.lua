--- Lua's library as it was in the beginning, for as long as luath speaks.
---
--- A test may put its own `string.format` or `table.concat` in place. `borrow` puts back what luath
--- needs, whatever came in its place; `giveBack` gives the script its own again.
local library = {}

local rawget <const>, rawset <const> = rawget, rawset

local getmetatable <const> = debug.getmetatable

local tables <const>, keys <const>, values <const> = {}, {}, {}

--- What is kept of each table: the table itself, the `first` and the `last` index.
local parts <const> = {}

local function note(from, key)
  local index <const> = #keys + 1
  tables[index], keys[index], values[index] = from, key, rawget(from, key)
  if not parts[#parts] or parts[#parts].of ~= from then
    parts[#parts + 1] = { of = from, first = index }
  end
  parts[#parts].last = index
end

for _, one in ipairs { string, table, utf8, math, debug, coroutine } do
  for key in next, one do
    note(one, key)
  end
end
for name in
  ("error getmetatable ipairs next pairs pcall rawequal rawget rawlen rawset require select "
    .. "setmetatable tonumber tostring type xpcall"):gmatch "%a+"
do
  note(_G, name)
end

--- What the script had put in place: indices and its values.
local taken, theirs = 0, {}
local indices <const> = {}

local function put(index, now)
  rawset(tables[index], keys[index], values[index])
  -- What was taken away stays back: the script's own calls need it too.
  if now ~= nil then
    taken = taken + 1
    indices[taken], theirs[taken] = index, now
  end
end

--- Puts the library in place of what the script made of it.
function library.borrow()
  for part = 1, #parts do
    local one <const> = parts[part]
    local from <const>, isPlain <const> = one.of, getmetatable(one.of) == nil
    for index = one.first, one.last do
      local now
      -- Many are looked at, again and again: no call where none is needed.
      if isPlain then
        now = from[keys[index]]
      else
        now = rawget(from, keys[index])
      end
      -- No table is among the values, so nobody's `__eq` is asked.
      if now ~= values[index] then
        put(index, now)
      end
    end
  end
end

--- Puts what the script made of the library in its place again.
function library.giveBack()
  for one = 1, taken do
    local index <const> = indices[one]
    rawset(tables[index], keys[index], theirs[one])
    theirs[one] = nil
  end
  taken = 0
end

return library
