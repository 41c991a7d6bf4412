--- The checks that there are: how many values each compares, when it holds, what it wants.
---
--- A check is a table: `values` (how many follow what is checked), `test` (whether it holds),
--- `wanted` (what it expects, in words), and if there is more to say `explain` and `verify`.
local checks = {}

local diff <const> = require "luath.expect.diff"
local perform <const> = require "luath.expect.perform"
local print <const> = require "luath.expect.print"
local same <const> = require "luath.expect.same"
local texts <const> = require "luath.expect.texts"

local function fixed(words)
  return function()
    return words
  end
end

--- Words, and behind them what is expected.
local function about(words)
  return function(expected)
    return words .. print.text(expected)
  end
end

local function isText(text)
  return type(text) ~= "string" and "string expected, got " .. type(text) or nil
end

--- What is said of values that look alike and are not.
local function likeness(actual, expected)
  local kind <const>, wanted <const> = type(actual), type(expected)
  if kind ~= wanted and kind ~= "table" and tostring(actual) == tostring(expected) then
    return ("one is a %s, the other a %s"):format(kind, wanted)
  elseif kind == "string" and wanted == "string" then
    local function trim(text)
      return text:match "^%s*(.-)%s*$"
    end
    if trim(actual) == trim(expected) then
      return "they differ in blanks at the ends"
    elseif actual:lower() == expected:lower() then
      return "they differ in upper and lower case"
    end
  end
  return nil
end

checks.equal = {
  values = 1,
  isByContents = true,
  test = function(actual, expected)
    return actual == expected
  end,
  wanted = about "",
  explain = function(actual, expected)
    local fields <const> = {
      diff = diff.lines(actual, expected),
      hint = likeness(actual, expected),
    }
    if same.isPlaceholder(expected) then
      fields.hint = "equal takes no placeholders: use expect.matches"
    elseif type(actual) == "table" and same.compare(actual, expected) then
      fields.diff = nil
      fields.hint = "these are two tables with the same contents: use expect.same"
    end
    return fields
  end,
}

--- What differs first, and where.
local function explainDifference(isPartial)
  return function(actual, expected)
    local difference <const> = same.difference(actual, expected, isPartial)
    local fields <const> = { diff = diff.lines(actual, expected, isPartial) }
    local trail <const> = difference.trail
    local shown <const> =
      texts.differ(difference.actual, difference.expected, trail and trail.key)
    if difference.trail and shown then
      fields.message = texts.told(shown, same.path(difference.trail))
    elseif difference.trail then
      fields.message = ("%s differs: expected %s, got %s"):format(
        same.path(difference.trail),
        print.line(difference.expected, 60),
        print.line(difference.actual, 60)
      )
    end
    if difference.reason then
      fields.reason = difference.reason
    end
    fields.hint = likeness(difference.actual, difference.expected) or shown and shown.hint or nil
    return fields
  end
end

checks.same = {
  values = 1,
  isByContents = true,
  test = function(actual, expected)
    return same.compare(actual, expected)
  end,
  wanted = about "",
  explain = explainDifference(false),
}

checks.matches = {
  values = 1,
  test = function(actual, pattern)
    if type(pattern) == "string" then
      return perform.find("matches", actual, pattern)
    end
    return same.compare(actual, pattern, true)
  end,
  wanted = function(pattern)
    local text <const> = print.text(pattern)
    return type(pattern) == "string" and "a string with the pattern " .. text or text
  end,
  explain = function(actual, pattern)
    if type(pattern) == "string" then
      return {}
    end
    return explainDifference(true)(actual, pattern)
  end,
}

local function contains(actual, item)
  if type(actual) == "string" then
    return type(item) == "string" and actual:find(item, 1, true) ~= nil
  elseif type(actual) ~= "table" then
    return false
  end
  for _, found in next, actual do
    if same.compare(found, item) then
      return true
    end
  end
  return false
end

checks.contains = {
  values = 1,
  test = contains,
  wanted = about "something that contains ",
}

local function sized(value)
  if type(value) == "string" then
    return #value
  elseif type(value) ~= "table" then
    return nil
  end
  local count = 0
  for _ in next, value do
    count = count + 1
  end
  return count
end

checks.length = {
  values = 1,
  verify = function(length)
    return math.type(length) ~= "integer" and "integer expected, got " .. type(length) or nil
  end,
  test = function(actual, length)
    return sized(actual) == length
  end,
  wanted = function(length)
    return "length " .. length
  end,
  explain = function(actual)
    local length <const> = sized(actual)
    return { reason = length and "its length is " .. length or "it has no length" }
  end,
}

checks.empty = {
  values = 0,
  test = function(actual)
    return sized(actual) == 0
  end,
  wanted = fixed "something empty",
}

checks.truthy = {
  values = 0,
  test = function(actual)
    return actual ~= nil and actual ~= false
  end,
  wanted = fixed "neither nil nor false",
}

checks.falsy = {
  values = 0,
  test = function(actual)
    return not actual
  end,
  wanted = fixed "nil or false",
}

local function exactly(value)
  return {
    values = 0,
    test = function(actual)
      return actual == value
    end,
    wanted = fixed(tostring(value)),
  }
end

checks.isTrue, checks.isFalse, checks.isNil = exactly(true), exactly(false), exactly(nil)

--- The types of Lua, to tell them from luath's classes.
local TYPES <const> = {
  ["nil"] = true,
  boolean = true,
  number = true,
  string = true,
  table = true,
  ["function"] = true,
  userdata = true,
  thread = true,
}

checks.isType = {
  values = 1,
  verify = isText,
  test = function(actual, kind)
    if TYPES[kind] then
      return type(actual) == kind
    end
    return math.type(actual) == kind or getmetatable(actual) == kind
  end,
  wanted = function(kind)
    return "a value of type " .. kind
  end,
}

local function ordered(words, holds)
  return {
    values = 1,
    verify = function(bound)
      local kind <const> = type(bound)
      if kind ~= "number" and kind ~= "string" then
        return "number or string expected, got " .. kind
      end
    end,
    test = function(actual, bound)
      return type(actual) == type(bound) and holds(actual, bound)
    end,
    wanted = about(words .. " "),
  }
end

checks.above = ordered("more than", function(actual, bound)
  return actual > bound
end)

checks.below = ordered("less than", function(actual, bound)
  return actual < bound
end)

checks.atLeast = ordered("at least", function(actual, bound)
  return actual >= bound
end)

checks.atMost = ordered("at most", function(actual, bound)
  return actual <= bound
end)

checks.near = {
  values = 2,
  verify = function(expected, tolerance)
    if type(expected) ~= "number" then
      return "number expected, got " .. type(expected)
    elseif type(tolerance) ~= "number" or tolerance < 0 then
      return "a tolerance of at least 0 expected", 3
    end
  end,
  test = function(actual, expected, tolerance)
    return type(actual) == "number" and math.abs(actual - expected) <= tolerance
  end,
  wanted = function(expected, tolerance)
    return ("%s ± %s"):format(print.text(expected), print.text(tolerance))
  end,
}

checks.startsWith = {
  values = 1,
  verify = isText,
  test = function(actual, text)
    return type(actual) == "string" and actual:sub(1, #text) == text
  end,
  wanted = about "something that starts with ",
}

checks.endsWith = {
  values = 1,
  verify = isText,
  test = function(actual, text)
    return type(actual) == "string" and (text == "" or actual:sub(-#text) == text)
  end,
  wanted = about "something that ends with ",
}

return checks
