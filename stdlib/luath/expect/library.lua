--- Lua's library as it was in the beginning, for as long as luath speaks.
---
--- A test may put its own `string.format` or `table.concat` in place. `borrow` puts back what luath
--- needs, whatever came in its place; `giveBack` gives the script its own again.
local library = {}

local rawget <const>, rawset <const>, rawequal <const> = rawget, rawset, rawequal

local tables <const>, keys <const>, values <const> = {}, {}, {}

local function note(from, key)
  local index <const> = #keys + 1
  tables[index], keys[index], values[index] = from, key, rawget(from, key)
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

local COUNT <const> = #keys

--- What the script had put in place: indices and its values.
local taken, theirs = 0, {}
local indices <const> = {}

--- Puts the library in place of what the script made of it.
function library.borrow()
  for index = 1, COUNT do
    local now <const> = rawget(tables[index], keys[index])
    if not rawequal(now, values[index]) then
      rawset(tables[index], keys[index], values[index])
      -- What was taken away stays back: the script's own calls need it too.
      if now ~= nil then
        taken = taken + 1
        indices[taken], theirs[taken] = index, now
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
