--- Matchers for the arguments of spies: `match.is_number()`, `match._`, `match.is_not.same(t)`.
local match = {}

local arguments <const> = require "luath.spec.arguments"
local assert <const> = require "luath.spec.engine"
local assertions <const> = require "luath.spec.assertions"
local chain <const> = require "luath.spec.chain"
local util <const> = require "luath.spec.util"

local matcher <const> = { __name = "luath.Matcher" }

function matcher.__call(self, value)
  return self.callback(value) == self.mod
end

match.state = chain.of("matcher", function(self, entry, ...)
  local list <const> = util.make_arglist(...)
  return setmetatable({
    name = entry.name,
    mod = self.mod,
    callback = entry.callback(self, list, util.errorlevel()),
    arguments = list,
  }, matcher)
end)

--- What anything fits.
match._ = setmetatable({
  name = "_",
  mod = true,
  arguments = util.make_arglist(),
  callback = function()
    return true
  end,
}, matcher)

function match.is_matcher(value)
  return type(value) == "table" and getmetatable(value) == matcher
end

function match.is_ref_matcher(value)
  return match.is_matcher(value) and value.name == "ref"
end

local function register(names, callback)
  for name in names:gmatch "%S+" do
    assert:register("matcher", name, callback)
  end
end

--- A matcher whose test needs no arguments.
local function simple(names, test)
  register(names, function()
    return test
  end)
end

simple("true", function(value)
  return value == true
end)
simple("false", function(value)
  return value == false
end)
simple("truthy", function(value)
  return value ~= nil and value ~= false
end)
simple("falsy", function(value)
  return not value
end)
for _, kind in ipairs(assertions.types) do
  simple(kind, function(value)
    return type(value) == kind
  end)
end

register("unique", function(_, list)
  return function(value)
    return assertions.isUnique(value, list[1])
  end
end)

register("near", function(_, list)
  arguments.need(list, 2, "near")
  local expected <const>, tolerance <const> = tonumber(list[1]), tonumber(list[2])
  local kind <const> = "number or object convertible to a number"
  arguments.check(expected, 1, "near", kind, arguments.format(list[1]))
  arguments.check(tolerance, 2, "near", kind, arguments.format(list[2]))
  return function(value)
    local actual <const> = tonumber(value)
    return actual ~= nil and actual >= expected - tolerance and actual <= expected + tolerance
  end
end)

register("matches match", function(_, list)
  arguments.need(list, 1, "matches")
  local pattern <const>, init <const>, plain <const> = list[1], list[2], list[3]
  arguments.check(type(pattern) == "string", 1, "matches", "string", type(pattern))
  arguments.check(init == nil or tonumber(init), 2, "matches", "number", type(init))
  return function(value)
    local kind <const> = type(value)
    local isText <const> = kind == "number" or kind ~= "userdata" and util.hastostring(value)
    return isText and tostring(value):find(pattern, init, plain) ~= nil
  end
end)

register("equals equal", function(_, list)
  arguments.need(list, 1, "equals")
  return function(value)
    return value == list[1]
  end
end)

register("same", function(_, list)
  arguments.need(list, 1, "same")
  return function(value)
    return (util.deepcompare(value, list[1], true))
  end
end)

local OBJECTS <const> = { table = true, ["function"] = true, thread = true, userdata = true }

register("ref", function(_, list)
  arguments.need(list, 1, "ref")
  arguments.check(OBJECTS[type(list[1])], 1, "ref", "object", type(list[1]))
  return function(value)
    return value == list[1]
  end
end)

--- A matcher made of others: what it gives when one of them fits, and when none does.
local function composite(name, word, isSearched, found)
  register(name, function(_, list)
    arguments.need(list, 1, word)
    for index = 1, list.n do
      arguments.check(match.is_matcher(list[index]), 1, word, "matcher", type(list[index]))
    end
    return function(value)
      for _, one in ipairs(list) do
        if one(value) == isSearched then
          return found
        end
      end
      return not found
    end
  end)
end

composite("none_of", "none", true, false)
composite("any_of", "any", true, true)
composite("all_of", "all", false, false)

return setmetatable(match, {
  __index = function(self, key)
    return self.state()[key]
  end,
})
