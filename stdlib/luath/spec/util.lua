--- The helpers that assertions are written with, under the names of `luassert.util`.
local util = {}

local failure <const> = require "luath.expect.failure"
local registry <const> = require "luath.spec.registry"

local arglist <const> = {}

util.pack = table.pack

--- As table.unpack, up to the field `n` if there is one.
function util.unpack(list, first, last)
  return table.unpack(list, first or 1, last or list.n or #list)
end

--- Raises a mistake of the spec, at its own line.
util.mistake = failure.refuse

--- Compares what two tables have under each key of the first; nil is what neither has.
local function compareFields(one, other, compare)
  for key, value in next, one do
    local found <const> = other[key]
    if found == nil then
      return false, { key }
    end
    local good, trail = compare(value, found)
    if not good then
      trail = trail or {}
      trail[#trail + 1] = key
      return false, trail
    end
  end
  for key in next, other do
    if one[key] == nil then
      return false, { key }
    end
  end
  return true
end

--- Whether two values have the same contents; if not, the keys that lead to a difference.
---
---@param one any
---@param other any
---@param ignores? boolean the first two tables are compared by contents even if they have `__eq`
---@param open? table the pairs that are being compared further out
---@return boolean
---@return any[]? trail the innermost key first
function util.deepcompare(one, other, ignores, open)
  if type(one) ~= "table" or type(other) ~= "table" then
    return one == other
  end
  local metatable <const> = debug.getmetatable(one)
  local hasEqual <const> = metatable
    and metatable == debug.getmetatable(other)
    and metatable.__eq
  if hasEqual and not ignores then
    return one == other
  elseif not hasEqual and rawequal(one, other) then
    return true
  end
  open = open or {}
  local others <const> = open[one] or {}
  if others[other] then
    return true -- a circle, the same so far
  end
  open[one], others[other] = others, true
  local good <const>, trail <const> = compareFields(one, other, function(value, found)
    return util.deepcompare(value, found, nil, open)
  end)
  if good then
    return true
  end
  return false, trail
end

function util.shallowcopy(value)
  if type(value) ~= "table" then
    return value
  end
  local copy <const> = setmetatable({}, getmetatable(value))
  for key, field in next, value do
    copy[key] = field
  end
  return copy
end

--- A copy of all levels; spies stay what they are.
function util.deepcopy(value, copiesMetatables, known)
  if type(value) ~= "table" then
    return value
  end
  local spy <const> = require "luath.spec.spy"
  known = known or {}
  if known[value] then
    return known[value]
  end
  local copy <const> = {}
  known[value] = copy
  for key, field in next, value do
    copy[key] = spy.is_spy(field) and field or util.deepcopy(field, copiesMetatables, known)
  end
  local metatable = debug.getmetatable(value)
  if copiesMetatables then
    metatable = util.deepcopy(metatable, false, known)
  end
  return debug.setmetatable(copy, metatable)
end

--- The arguments of a call, as they were then and as they are.
function util.copyargs(arguments)
  local match <const> = require "luath.spec.match"
  local spy <const> = require "luath.spec.spy"
  local copy <const> = setmetatable({}, getmetatable(arguments))
  for key, value in pairs(arguments) do
    local isKept <const> = match.is_matcher(value) or spy.is_spy(value)
    copy[key] = isKept and value or util.deepcopy(value)
  end
  return { vals = copy, refs = util.shallowcopy(arguments) }
end

function util.cleararglist(list)
  for index = list.n, 1, -1 do
    util.tremove(list, index)
  end
  list.n = nil
end

--- Whether arguments are as they were specified, by values or matchers.
local function fits(arguments, references, specification)
  local match <const> = require "luath.spec.match"
  for index, value in pairs(arguments) do
    local wanted <const> = specification[index]
    if match.is_matcher(wanted) then
      if not wanted(match.is_ref_matcher(wanted) and references[index] or value) then
        return false
      end
    elseif wanted == nil or not util.deepcompare(value, wanted) then
      return false
    end
  end
  for index, wanted in pairs(specification) do
    if arguments[index] == nil and not (match.is_matcher(wanted) and wanted(nil)) then
      return false
    end
  end
  return true
end

--- The last of several calls whose arguments are as specified, or nil.
function util.matchargs(calls, specification)
  assert(not util.is_arglist(calls), "expected a list of arglist-object, got an arglist")
  for index = #calls, 1, -1 do
    if fits(calls[index].vals, calls[index].refs, specification) then
      return calls[index]
    end
  end
  return nil
end

--- The first of several specifications that arguments fit, or nil.
function util.matchoncalls(specifications, arguments)
  for _, specification in ipairs(specifications) do
    if fits(arguments, arguments, specification.vals) then
      return specification
    end
  end
  return nil
end

--- As table.insert, with the length in the field `n`, so that nil counts.
function util.tinsert(list, ...)
  local count <const> = select("#", ...)
  local position, value = ...
  list.n = (list.n or #list) + 1
  if count < 2 then
    position, value = list.n, position
  elseif position > list.n then
    list.n = position
  end
  for index = list.n, position + 1, -1 do
    list[index] = list[index - 1]
  end
  list[position] = value
end

--- As table.remove, with the length in the field `n`.
function util.tremove(list, position)
  list.n = list.n or #list
  position = position or list.n
  local removed <const> = list[position]
  if position > list.n then
    list[position] = nil
    return removed
  end
  for index = position, list.n do
    list[index] = list[index + 1]
  end
  list[list.n] = nil
  list.n = list.n - 1
  return removed
end

local function metamethod(value, name)
  local metatable <const> = debug.getmetatable(value)
  return type(metatable) == "table" and type(metatable[name]) == "function"
end

function util.callable(value)
  return type(value) == "function" or metamethod(value, "__call")
end

function util.hastostring(value)
  return type(value) == "string" or metamethod(value, "__tostring")
end

--- The level of the first caller outside the file that calls this, without entries.
function util.errorlevel(level)
  level = (level or 1) + 1
  local info = debug.getinfo(level, "S")
  local file <const> = info and info.source
  while info and (info.source == file or info.source == "=[C]") do
    level = level + 1
    info = debug.getinfo(level, "S")
  end
  return level > 1 and level - 1 or level
end

--- Puts the words of a chain together to the longest names that there are, from its end.
---
---@param kind string of the names, besides modifiers
---@param tokens string[]
---@return string[]
function util.extract_keys(kind, tokens)
  local keys <const> = {}
  local names <const>, modifiers <const> = registry[kind], registry.modifier
  local key
  local index = #tokens
  while index > 0 do
    key = key and tokens[index] .. "_" .. key or tokens[index]
    while index > 1 and names[tokens[index - 1] .. "_" .. key] do
      index = index - 1
      key = tokens[index] .. "_" .. key
    end
    if modifiers[key] or names[key] then
      table.insert(keys, 1, key)
      key = nil
    end
    index = index - 1
  end
  if key then
    util.mistake("luassert: unknown modifier/%s: '%s'", kind, key)
  end
  return keys
end

--- The arguments of a call as a list, with their number.
function util.make_arglist(...)
  return setmetatable(table.pack(...), arglist)
end

function util.is_arglist(value)
  return getmetatable(value) == arglist
end

return util
