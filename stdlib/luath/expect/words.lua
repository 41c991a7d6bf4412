--- What is said of names, and of one that there is not.
local words = {}

--- The names in a table, in order of the alphabet.
---
---@param known table its keys are the names
---@return string[]
function words.sorted(known)
  local list <const> = {}
  for name in pairs(known) do
    list[#list + 1] = name
  end
  table.sort(list)
  return list
end

--- The number of letters to change, put in or take out to make one word of another.
local function distance(one, other)
  local before = {}
  for column = 0, #other do
    before[column] = column
  end
  for row = 1, #one do
    local line <const> = { [0] = row }
    for column = 1, #other do
      local cost <const> = one:byte(row) == other:byte(column) and 0 or 1
      line[column] =
        math.min(before[column] + 1, line[column - 1] + 1, before[column - 1] + cost)
    end
    before = line
  end
  return before[#other]
end

--- The names nearest to one that there is not, up to three, if any are near.
---
---@param name string
---@param known table its keys are the names that there are
---@return string[]
function words.nearest(name, known)
  local list <const>, far <const> = {}, {}
  for key in pairs(known) do
    far[key] = distance(name:lower(), key:lower())
    if far[key] <= math.max(2, #name // 3) then
      list[#list + 1] = key
    end
  end
  table.sort(list, function(one, other)
    if far[one] ~= far[other] then
      return far[one] < far[other]
    end
    return one < other
  end)
  return table.move(list, 1, 3, 1, {})
end

--- The sentence for a name that is not in a table, with the one that was probably meant.
---
---@param kind string what the names are of
---@param name any
---@param known table its keys are the names that there are
---@return string
function words.unknown(kind, name, known)
  local nearest, least = nil, 3
  for key in pairs(known) do
    local far <const> = type(key) == "string" and distance(tostring(name):lower(), key:lower()) or 9
    if far < least or (far == least and nearest and key < nearest) then
      nearest, least = key, far
    end
  end
  local guess <const> = nearest and (", did you mean '%s'?"):format(nearest) or ""
  return ("there is no %s '%s'%s"):format(kind, tostring(name), guess)
end

return words
