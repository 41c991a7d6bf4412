--- `assert`, before anything can be asserted with it: chains, registration, formats, failures.
local assert = {}

local chain <const> = require "luath.spec.chain"
local diff <const> = require "luath.expect.diff"
local failure <const> = require "luath.expect.failure"
local library <const> = require "luath.expect.library"
local registry <const> = require "luath.spec.registry"
local say <const> = require "luath.spec.say"
local state <const> = require "luath.spec.state"
local util <const> = require "luath.spec.util"

local levels <const> = { __name = "luath.Level" }

--- The spec's own words for a failure, then those of the assertion.
local function describe(key, own, arguments)
  if util.hastostring(own) then
    own = tostring(own)
  elseif own ~= nil then
    own = state.format_argument(own)
  end
  local text <const> = say(key, assert:format(arguments))
  return text and own and own .. "\n" .. text or text or own
end

local function raise(message, fields)
  library.borrow()
  fields.message, fields.isBrief = message, true
  local raised <const> = failure.make(fields, fields.outwards)
  -- The message of an error that was caught has its place already.
  local prefix <const> = raised.where and raised.where .. ": " or ""
  if type(message) == "string" and message:sub(1, #prefix) == prefix then
    raised.message = message:sub(#prefix + 1)
  end
  library.giveBack()
  error(raised, 0)
end

--- The lines in which two tables differ; they stand in the order of luassert's messages.
local function difference(arguments)
  local crumbs <const> = arguments.fmtargs and arguments.fmtargs[1]
  if not crumbs then
    return nil
  end
  local good <const>, lines <const> = pcall(diff.lines, arguments[1], arguments[2])
  return good and lines or nil
end

--- Carries out an assertion; gives its results, or what was passed to it.
local function finish(self, assertion, ...)
  local arguments <const> = util.make_arglist(...)
  local good <const>, results <const> = assertion.callback(self, arguments, util.errorlevel())
  if (not good) == self.mod then
    library.borrow()
    local lines <const> = self.mod and difference(arguments) or nil
    local key <const> = self.mod and assertion.positive_message or assertion.negative_message
    local message <const> = describe(key, rawget(self, "failure_message"), arguments)
    raise(message or "assertion failed!", { diff = lines })
  end
  failure.pass()
  if results then
    return util.unpack(results)
  end
  return ...
end

assert.state = chain.of("assertion", finish)

--- Adds an assertion, a modifier or a matcher.
---
---@param kind string "assertion", "modifier" or "matcher"
---@param name string
---@param callback function
---@param positive? string key of the message when it does not hold
---@param negative? string key of the message when it holds and should not
function assert.register(_, kind, name, callback, positive, negative)
  registry[kind] = registry[kind] or {}
  registry[kind][name:lower()] = {
    callback = callback,
    name = name:lower(),
    positive_message = positive,
    negative_message = negative,
  }
end

function assert.unregister(_, kind, name)
  registry[kind] = registry[kind] or {}
  registry[kind][name:lower()] = nil
end

function assert.add_formatter(_, formatter)
  state.add_formatter(formatter)
end

function assert.remove_formatter(_, formatter)
  state.remove_formatter(formatter)
end

--- Puts arguments into words, in place; those in `nofmt` stay as they are.
function assert.format(_, arguments)
  local kept <const>, options <const> = arguments.nofmt or {}, arguments.fmtargs or {}
  for index = 1, arguments.n or #arguments do
    if not kept[index] then
      local value <const> = arguments[index]
      arguments[index] = state.format_argument(value, nil, options[index]) or tostring(value)
    end
  end
  return arguments
end

function assert.set_parameter(_, name, value)
  state.set_parameter(name, value)
end

function assert.get_parameter(_, name)
  return state.get_parameter(name)
end

function assert.add_spy(_, spy)
  state.add_spy(spy)
end

function assert.snapshot()
  return state.snapshot()
end

--- Says how many calls further out a failure belongs to: `assert(value, message, assert:level(2))`.
function assert.level(_, level)
  return setmetatable({ level = level }, levels)
end

function assert.get_level(_, level)
  return getmetatable(level) == levels and level.level or nil
end

return setmetatable(assert, {
  __call = entry(function(self, value, message, level, ...)
    if not value then
      if type(message) == "table" then
        error(message, 0) -- as Lua's own: `assert(luath.try(f))` raises what `f` raised
      end
      local outwards <const> = (self:get_level(level) or 1) - 1
      raise(message or "assertion failed!", { outwards = math.max(0, outwards) })
    end
    failure.pass()
    return value, message, level, ...
  end),
  __index = function(self, key)
    return self.state()[key]
  end,
})
