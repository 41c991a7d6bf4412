--- Spies or stubs in place of all functions of a table, tables in it included.
local mock = {}

local spy <const> = require "luath.spec.spy"
local stub <const> = require "luath.spec.stub"

--- Does something with all spies in a table.
local function apply(object, action, visited)
  if type(object) ~= "table" or visited[object] then
    return
  elseif spy.is_spy(object) then
    return object[action](object)
  end
  visited[object] = true
  for _, value in pairs(object) do
    apply(value, action, visited)
  end
  return object
end

--- Puts spies in front of all functions of a table, or stubs in their place.
---
---@param object any
---@param isStub? boolean
---@param f? function what the stubs call
function mock.new(object, isStub, f, owner, place)
  local visited <const> = {}
  local function enter(value, parent, key)
    if type(value) == "table" then
      if not spy.is_spy(value) and not visited[value] then
        visited[value] = true
        for name, field in pairs(value) do
          value[name] = enter(field, value, name)
        end
      end
    elseif type(value) == "function" then
      if isStub then
        return stub(parent, key, f)
      end
      return parent and spy.on(parent, key) or spy.new(value)
    end
    return value
  end
  return enter(object, owner, place)
end

function mock.clear(object)
  return apply(object, "clear", {})
end

function mock.revert(object)
  return apply(object, "revert", {})
end

return setmetatable(mock, {
  __call = function(_, ...)
    return mock.new(...)
  end,
})
