--- What kind of value something is.
local kinds = {}

local getmetatable <const>, rawget <const> = debug.getmetatable, rawget

--- The `__name` of a value's metatable; nil when it has none.
function kinds.name(value)
  local metatable <const> = getmetatable(value)
  return type(metatable) == "table" and rawget(metatable, "__name") or nil
end

--- Whether a value is a function, or has a `__call` of its own.
function kinds.isCallable(value)
  local metatable <const> = getmetatable(value)
  return type(value) == "function"
    or type(metatable) == "table" and rawget(metatable, "__call") ~= nil
end

--- Whether a value has one of several types or is an object of one of several classes.
---
---@param words string such as `string or integer or OAuthProvider`
---@param value any
---@return boolean
function kinds.fit(words, value)
  local class <const> = type(value) == "userdata" and kinds.name(value)
  for word in words:gmatch "%w+" do
    if word == type(value) or word == math.type(value) or word == class then
      return true
    end
  end
  return false
end

return kinds
