--- Checks that report what they found: for journeys, specs and scripts.
---
---     local expect = require "luath.expect"
---     expect.equal(user.email, "ada@example.com")
---     expect.matches(user, { uid = expect.any.uid, isAnonymous = false })
---     local err = expect.raises("wrongPassword", auth.signIn, auth, credential)
---
--- `expect.no.NAME` wants the contrary, `expect.soft.NAME` goes on after a failure, and
--- `expect(value):NAME(…)` is another way to write `expect.NAME(value, …)`.
local expect = {}

local checks <const> = require "luath.expect.checks"
local eventually <const> = require "luath.expect.eventually"
local failure <const> = require "luath.expect.failure"
local perform <const> = require "luath.expect.perform"
local raises <const> = require "luath.expect.raises"
local snapshot <const> = require "luath.expect.snapshot"
local words <const> = require "luath.expect.words"

--- The checks of scripts, by name.
local own <const> = require "luath.expect.own"

--- What has another shape than a check.
local special <const> = {}

--- Calls a function, with arguments if there are any; returns the error that it raises.
---
--- `wanted` is a code, as `err.code`, `err.webCode` or `err.rawValue` have it, a table of fields
--- or a placeholder; without it, any error will do.
function special.raises(mode, wanted, ...)
  if type(wanted) == "function" then
    return raises.check(mode, nil, wanted, ...)
  end
  return raises.check(mode, wanted, ...)
end

--- Calls a function until it raises nothing and returns neither nil nor false; returns its results.
function special.eventually(mode, f, options, message)
  if mode.isNegated then
    failure.refuse("expect.no.eventually does not exist: let the function check the contrary")
  end
  return eventually.check(mode, f, options, message)
end

--- Compares a value with its snapshot in the file beside the journeys; the first time, it writes
--- the snapshot.
---
--- Secrets, uids and times are replaced by their kinds. Without a name, the snapshots of a journey
--- have numbers.
function special.snapshot(mode, value, ...)
  return snapshot.check(mode, value, ...)
end

--- Fails.
function special.fail(mode, message)
  if type(message) ~= "string" then
    perform.mistake("fail", 1, "string expected, got %s", type(message))
  end
  perform.fail(mode, { message = message })
end

--- The function that carries out a check of a name, or nil.
local function verb(name, mode)
  local check <const> = checks[name] or own[name]
  if check then
    return entry(function(...)
      return perform.check(name, check, mode, ...)
    end)
  elseif special[name] then
    return entry(function(...)
      return special[name](mode, ...)
    end)
  end
  return nil
end

local function unknown(name)
  local known <const> = { any = true, extend = true, no = true, soft = true }
  for _, names in ipairs { checks, own, special } do
    for key in pairs(names) do
      known[key] = true
    end
  end
  return words.unknown("check", name, known)
end

local MODES <const> = {
  plain = { isNegated = false, isSoft = false, no = "no", soft = "soft" },
  no = { isNegated = true, isSoft = false, no = "plain", soft = "softNo" },
  soft = { isNegated = false, isSoft = true, no = "softNo", soft = "soft" },
  softNo = { isNegated = true, isSoft = true, no = "soft", soft = "softNo" },
}

local facades <const> = {}

--- All checks in a mode; each function is made when it is first wanted.
local function facade(target, mode)
  facades[mode] = setmetatable(target, {
    __index = function(self, name)
      local value
      if name == "no" or name == "soft" then
        value = facades[MODES[mode[name]]]
      else
        value = verb(name, mode)
      end
      if value == nil then
        error(unknown(name), 2)
      elseif not own[name] then
        -- A journey's own checks end with it.
        rawset(self, name, value)
      end
      return value
    end,
  })
end

for _, mode in pairs(MODES) do
  facade(mode == MODES.plain and expect or {}, mode)
end

local subject <const> = { __name = "luath.Subject" }
local VALUE <const>, MODE <const> = {}, {}

--- What `expect(value):NAME` calls; the same function for all values.
local methods <const> = setmetatable({}, { __mode = "v" })

local function method(name)
  local f = methods[name]
  if not f then
    f = entry(function(self, ...)
      if debug.getmetatable(self) ~= subject then
        failure.refuse("write expect(value):%s(…), with a colon", name)
      elseif name == "raises" then
        local wanted <const> = ...
        return (special.raises(rawget(self, MODE), wanted, rawget(self, VALUE), select(2, ...)))
      end
      facades[rawget(self, MODE)][name](rawget(self, VALUE), ...)
      return self
    end)
    methods[name] = f
  end
  return f
end

local function about(value, mode)
  return setmetatable({ [VALUE] = value, [MODE] = mode }, subject)
end

function subject.__index(self, name)
  if name == "no" or name == "soft" then
    return about(rawget(self, VALUE), MODES[rawget(self, MODE)[name]])
  elseif not checks[name] and not own[name] and not special[name] then
    error(unknown(name), 2)
  end
  return method(name)
end

getmetatable(expect).__call = entry(function(_, ...)
  -- A call that returns no value is nil.
  if select("#", ...) > 1 then
    perform.mistake("expect", 1, "one value expected, got %d", select("#", ...))
  end
  return about((...), MODES.plain)
end)

--- Placeholders for what is not known exactly.
expect.any = require "luath.expect.any"

--- Adds custom checks; each function gets what is checked and the arguments of the call.
---
---     expect.extend {
---       verified = function(user)
---         return user.isEmailVerified, user.email .. " is not verified"
---       end,
---     }
---     expect.verified(user)
---
--- It returns whether the check holds, and if not, a message or a table with `message`, `expected`,
--- `actual` and `hint`.
---
---@param functions table<string, function>
expect.extend = entry(function(functions)
  if type(functions) ~= "table" then
    perform.mistake("extend", 1, "table of functions expected, got %s", type(functions))
  end
  for name, f in pairs(functions) do
    if type(name) ~= "string" or not name:find "^%a%w*$" then
      perform.mistake("extend", 1, "a name of letters and digits expected, got %s", tostring(name))
    elseif type(f) ~= "function" then
      perform.mistake("extend", 1, "'%s': function expected, got %s", name, type(f))
    elseif not own[name] and (checks[name] or special[name] or rawget(expect, name)) then
      perform.mistake("extend", 1, "there is a check '%s' already", name)
    elseif name == "no" or name == "soft" then
      perform.mistake("extend", 1, "'%s' is no name for a check", name)
    end
  end
  for name, f in pairs(functions) do
    own[name] = { test = f, isOwn = true }
  end
end)

return expect
