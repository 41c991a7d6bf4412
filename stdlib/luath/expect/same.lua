--- Compares values by what is in them; placeholders stand for what is not known exactly.
local same = {}

local kinds <const> = require "luath.expect.kinds"
local print <const> = require "luath.expect.print"

--- Whether a value is a placeholder of `expect.any`.
---
---@param value any
---@return boolean
function same.isPlaceholder(value)
  return type(value) == "table" and kinds.name(value) == "luath.Placeholder"
end

--- What a placeholder stands for any one of; nothing of other values.
---
---@param value any
---@return any[]
function same.alternatives(value)
  return same.isPlaceholder(value) and rawget(value, "alternatives") or {}
end

--- A field of a table or of an object of luath; an object that has no such field has nil.
---
---@param value any
---@param key any
---@return any
function same.field(value, key)
  if type(value) == "table" then
    local raw <const> = rawget(value, key)
    if raw ~= nil then
      return raw
    end
  end
  local good <const>, found <const> = pcall(function()
    return value[key]
  end)
  if good then
    return found
  end
  return nil
end

local function isEqual(actual, expected)
  return actual == expected or (actual ~= actual and expected ~= expected)
end

local function different(trail, actual, expected, reason)
  return false, { trail = trail, actual = actual, expected = expected, reason = reason }
end

--- The trail with one more key on its way.
local function into(trail, key)
  return { key = key, before = trail }
end

local compare

--- Compares what stands under the keys of the expected table, then what the other has besides.
local function compareTables(actual, expected, rules, trail)
  local seen <const> = rules.seen[expected] or {}
  if seen[actual] then
    return true -- a circle, or met before: had it differed, all would have ended there
  end
  rules.seen[expected] = seen
  seen[actual] = true
  for key, value in rules.walk(expected) do
    local found
    if rules.isPartial then
      found = same.field(actual, key)
    else
      found = rawget(actual, key)
    end
    local good <const>, difference <const> = compare(found, value, rules, into(trail, key))
    if not good then
      return false, difference
    end
  end
  if not rules.isPartial then
    for key, value in rules.walk(actual) do
      if rawget(expected, key) == nil then
        return different(into(trail, key), value, nil)
      end
    end
  end
  return true
end

function compare(actual, expected, rules, trail)
  if same.isPlaceholder(expected) then
    local good <const>, reason <const> = expected.test(actual)
    if good then
      return true
    end
    return different(trail, actual, expected, reason)
  elseif type(expected) == "table" and type(actual) == "table" then
    if rawequal(actual, expected) then
      return true
    end
    return compareTables(actual, expected, rules, trail)
  elseif rules.isPartial and type(expected) == "table" and type(actual) == "userdata" then
    return compareTables(actual, expected, rules, trail)
  elseif isEqual(actual, expected) then
    return true
  end
  return different(trail, actual, expected)
end

local function inAnyOrder(value)
  return next, value
end

--- Goes through a table in the order of its keys, so that the first difference is always the same.
local function inOrder(value)
  local keys <const>, index = print.keys(value), 0
  return function()
    index = index + 1
    local key <const> = keys[index]
    if key ~= nil then
      return key, rawget(value, key)
    end
  end
end

--- Whether a value has what is expected of it, in all fields or in those that are named.
---
---@param actual any
---@param expected any may hold placeholders
---@param isPartial? boolean further fields do not matter
---@return boolean
function same.compare(actual, expected, isPartial)
  local rules <const> = { isPartial = isPartial, seen = {}, walk = inAnyOrder }
  return (compare(actual, expected, rules, nil))
end

--- What differs first, in the order of the keys; nil when nothing does.
---
---@param actual any
---@param expected any
---@param isPartial? boolean
---@return table? difference `trail`, `actual`, `expected`, `reason`
function same.difference(actual, expected, isPartial)
  local rules <const> = { isPartial = isPartial, seen = {}, walk = inOrder }
  local _, difference <const> = compare(actual, expected, rules, nil)
  return difference
end

--- So many keys of a way are shown, the innermost ones.
local STEPS <const> = 16

--- The way to a difference, such as `.profile.emails[2]`.
---
---@param trail? table
---@return string
function same.path(trail)
  local parts <const> = {}
  while trail and #parts < STEPS do
    local key <const> = trail.key
    local part = "[" .. tostring(key) .. "]"
    if type(key) == "string" then
      part = key:find "^[%a_][%w_]*$" and "." .. key or ("[%q]"):format(key)
    end
    table.insert(parts, 1, part)
    trail = trail.before
  end
  return (trail and "…" or "") .. table.concat(parts)
end

return same
