--- The assertions that compare values, under luassert's names.
---
--- An assertion gets the state of its chain and the list of its arguments, which it puts into the
--- order of its message; it gives whether it holds, and what the call results in.
local assertions = {}

local arguments <const> = require "luath.spec.arguments"
local assert <const> = require "luath.spec.engine"
local util <const> = require "luath.spec.util"

local function setMessage(state, message)
  if message ~= nil then
    state.failure_message = message
  end
end

--- Puts what was passed in before what was expected.
local function swap(list)
  list[1], list[2] = list[2], list[1]
end

local function keep(list, ...)
  list.nofmt = list.nofmt or {}
  for _, position in ipairs { ... } do
    list.nofmt[position] = true
  end
end

local function isUnique(list, deep)
  for key, value in pairs(list) do
    for otherKey, other in pairs(list) do
      local isSame <const> = value == other or (deep and util.deepcompare(value, other, true))
      if key ~= otherKey and isSame then
        return false
      end
    end
  end
  return true
end
assertions.isUnique = isUnique

function assertions.unique(state, list)
  local deep, message
  if type(list[2]) == "boolean" or (list[2] == nil and list.n > 2) then
    deep, message = list[2], list[3]
  else
    deep, message = type(list[3]) == "boolean" and list[3], list[2]
  end
  setMessage(state, message)
  return isUnique(list[1], deep)
end

function assertions.near(state, list)
  arguments.need(list, 3, "near")
  local kind <const> = "number or object convertible to a number"
  local numbers <const> = {}
  for position = 1, 3 do
    local value <const> = tonumber(list[position])
    numbers[position] = value
    arguments.check(value, position, "near", kind, arguments.format(list[position]))
  end
  local expected <const>, actual <const>, tolerance <const> = table.unpack(numbers)
  swap(list)
  list[3] = tolerance
  keep(list, 3)
  setMessage(state, list[4])
  return actual >= expected - tolerance and actual <= expected + tolerance
end

--- Takes a message out from behind a pattern; gives where the argument `init` stood.
local function takeMessage(list)
  for index = 3, list.n do
    local value <const> = list[index]
    if value and type(value) ~= "boolean" and not tonumber(value) then
      return util.tremove(list, index), index == 3 and 4 or 3
    end
  end
  return nil, 3
end

--- Searches a text; gives whether it was found, and the captures.
local function search(text, pattern, init, plain)
  if plain then
    local isFound <const> = text:find(pattern, init, plain) ~= nil
    return isFound, isFound and { pattern } or {}
  end
  local captures <const> = { text:match(pattern, init) }
  return captures[1] ~= nil, captures
end

function assertions.matches(state, list)
  arguments.need(list, 2, "matches")
  local message <const>, place <const> = takeMessage(list)
  local pattern <const>, value <const>, init <const> = list[1], list[2], list[3]
  local isText <const> = util.hastostring(value) or type(value) == "number"
  arguments.check(type(pattern) == "string", 1, "matches", "string", type(pattern))
  local kind <const> = "string or object convertible to a string"
  arguments.check(isText, 2, "matches", kind, arguments.format(value))
  arguments.check(init == nil or tonumber(init), place, "matches", "number", type(init))
  swap(list)
  setMessage(state, message)
  return search(tostring(value), pattern, init, list[4])
end

function assertions.equals(state, list)
  arguments.need(list, 2, "equals")
  local isEqual <const> = list[1] == list[2]
  swap(list)
  setMessage(state, list[3])
  return isEqual
end

function assertions.same(state, list)
  arguments.need(list, 2, "same")
  local good, crumbs
  if type(list[1]) == "table" and type(list[2]) == "table" then
    good, crumbs = util.deepcompare(list[1], list[2], true)
    list.fmtargs = list.fmtargs or {}
    list.fmtargs[1], list.fmtargs[2] = { crumbs = crumbs }, { crumbs = crumbs }
  else
    good = list[1] == list[2]
  end
  swap(list)
  setMessage(state, list[3])
  return good
end

function assertions.truthy(state, list)
  arguments.need(list, 1, "truthy")
  setMessage(state, list[2])
  return list[1] ~= false and list[1] ~= nil
end

function assertions.falsy(state, list)
  arguments.need(list, 1, "falsy")
  setMessage(state, list[2])
  return not list[1]
end

--- Calls a function that may raise; a text is taken without its place.
local function provoke(f)
  local good <const>, raised = pcall(f)
  if type(raised) == "string" then
    raised = raised:gsub("^.-:%d+: ", "", 1)
  end
  return good, raised
end

--- Whether what was raised is what was expected; gives it as it was compared, too.
local function isRaised(raised, expected)
  if type(expected) == "string" then
    if util.hastostring(raised) then
      raised = tostring(raised)
    end
    if type(raised) == "string" then
      return expected == raised, raised
    end
  elseif type(expected) == "number" and type(raised) == "string" then
    return tostring(expected) == tostring(tonumber(raised)), raised
  end
  if type(expected) == "table" and type(raised) == "table" then
    return (util.deepcompare(expected, raised, true)), raised
  end
  return expected == raised, raised
end

function assertions.error(state, list)
  local results <const> = util.shallowcopy(list)
  local f <const>, expected <const>, message <const> = list[1], list[2], list[3]
  arguments.check(util.callable(f), 1, "error", "function or callable object", type(f))
  local good <const>, raised <const> = provoke(f)
  results[1] = raised
  list.n, list.nofmt = 2, { good, expected == nil }
  list[1] = good and "(no error)" or raised
  list[2] = expected == nil and "(error)" or expected
  setMessage(state, message)
  if good or expected == nil then
    return not good, results
  end
  local isExpected <const>, compared <const> = isRaised(raised, expected)
  results[1] = compared
  return isExpected, results
end

function assertions.error_matches(state, list)
  local results <const> = util.shallowcopy(list)
  arguments.need(list, 2, "error_matches")
  local f <const>, pattern <const> = list[1], list[2]
  arguments.check(util.callable(f), 1, "error_matches", "function or callable object", type(f))
  local isPattern <const> = pattern == nil or type(pattern) == "string"
  arguments.check(isPattern, 2, "error", "string", type(pattern))
  local message <const>, place <const> = takeMessage(list)
  local init <const>, plain <const> = list[3], list[4]
  arguments.check(init == nil or tonumber(init), place, "matches", "number", type(init))
  local good <const>, raised = provoke(f)
  results[1] = raised
  list.n, list.nofmt = 2, { good, false }
  list[1], list[2] = good and "(no error)" or raised, pattern
  setMessage(state, message)
  if good then
    return false, results
  elseif raised == nil and pattern == nil then
    return true, {}
  end
  local kind <const> = type(raised)
  if util.hastostring(raised) or kind == "number" or kind == "boolean" then
    raised = tostring(raised)
    results[1] = raised
  end
  if type(raised) ~= "string" then
    return false, results
  end
  local isFound <const>, captures <const> = search(raised, pattern, init, plain)
  return isFound, isFound and captures or results
end

function assertions.returned_arguments(_, list)
  list[1], list[2] = tostring(list[1]), tostring(list.n - 1)
  keep(list, 1, 2)
  list.n = math.max(list.n, 2)
  return list[1] == list[2]
end

--- That a value is one of the two truth values.
local function isValue(value)
  return function(state, list)
    util.tinsert(list, 2, value)
    setMessage(state, list[3])
    return list[1] == value
  end
end

local function isType(kind)
  return function(state, list)
    util.tinsert(list, 2, "type " .. kind)
    keep(list, 2)
    setMessage(state, list[3])
    return list.n > 1 and type(list[1]) == kind
  end
end

--- The index of the first hole of an array, or nil.
local function hole(array, length)
  for index = 1, length do
    if array[index] == nil then
      return index
    end
  end
  return nil
end

local ARRAY <const> = "__array_state"

local function holes(state, list)
  local array <const> = rawget(state, ARRAY)
  assert(array ~= nil, "No array set, please use the array modifier to set the array to validate")
  local length = list[1]
  if length == nil then
    length = 0
    for key in pairs(array) do
      if type(key) == "number" and key > length and math.floor(key) == key then
        length = key
      end
    end
  end
  local words <const> = "expected array length to be of type 'number', got: " .. tostring(length)
  assert(type(length) == "number", words)
  local missing <const> = hole(array, length)
  list[1], list.n = missing, missing and 1 or 0
  return missing ~= nil, { missing }
end

local function setArray(state, list)
  assert(list.n > 0, "No array provided to the array-modifier")
  assert(rawget(state, ARRAY) == nil, "Array already set")
  rawset(state, ARRAY, list[1])
end

local function register(name, callback, message)
  local key <const> = "assertion." .. message
  assert:register("assertion", name, callback, key .. ".positive", key .. ".negative")
end

--- The names of each assertion, and the message they share.
local names <const> = {
  { assertions.same, "same", "same" },
  { assertions.matches, "matches", "matches", "match" },
  { assertions.near, "near", "near" },
  { assertions.equals, "equals", "equals", "equal" },
  { assertions.unique, "unique", "unique" },
  { assertions.error, "error", "error", "errors" },
  {
    assertions.error_matches,
    "error",
    "error_matches",
    "error_match",
    "matches_error",
    "match_error",
  },
  { assertions.truthy, "truthy", "truthy" },
  { assertions.falsy, "falsy", "falsy" },
  { assertions.returned_arguments, "returned_arguments", "returned_arguments" },
  { isValue(true), "same", "true" },
  { isValue(false), "same", "false" },
  { holes, "array_holes", "holes" },
}

for _, entry in ipairs(names) do
  for index = 3, #entry do
    register(entry[index], entry[1], entry[2])
  end
end

assertions.types =
  { "boolean", "number", "string", "table", "nil", "userdata", "function", "thread" }
for _, kind in ipairs(assertions.types) do
  register(kind, isType(kind), "same")
end

local function same(state)
  return state
end

local function negate(state)
  state.mod = not state.mod
end

for _, name in ipairs { "is", "are", "was", "has", "does" } do
  assert:register("modifier", name, same)
end
for _, name in ipairs { "not", "no" } do
  assert:register("modifier", name, negate)
end
assert:register("modifier", "array", setArray)
assert:register("modifier", "message", function(state, list)
  -- Within a chain that goes on without arguments there are none.
  state.failure_message = list and list[1]
end)

return assertions
