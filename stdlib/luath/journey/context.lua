--- What a journey's function is given: `j`.
local context = {}

local runner <const> = require "luath.runner"
local failures <const> = require "luath.journey.failures"
local fixtures <const> = require "luath.journey.fixtures"
local steps <const> = require "luath.journey.steps"
local tree <const> = require "luath.journey.tree"
local words <const> = require "luath.journey.words"
local refuse <const> = failures.refuse

--- A journey that runs. Fields of a script's own may be set, as hooks hand things on.
---@class Journey
---@field name string
---@field path string[] the names of the blocks around it and its own
---@field tags string[]
---@field row? table the row of a data-driven journey
---@field attempt integer 1, or more after retries
---@field users Users
local Journey <const> = { __name = "Journey" }

--- Runs a function as a named part of the journey; returns what it returns.
---
---     local user = j:step("Ada signs in", function() return ada:signIn() end)
---
---@param name string
---@param body function
---@param ... any its arguments
function Journey:step(name, body, ...)
  if type(name) ~= "string" then
    refuse("bad argument #1 to 'step' (a name expected, got %s)", type(name))
  elseif type(body) ~= "function" then
    refuse("bad argument #2 to 'step' (a function expected, got %s)", type(body))
  end
  return steps.run(name, body, ...)
end

--- Has a function run when the journey is over, however it ends; the newest runs first.
---
---@param ending function it may wait
function Journey:defer(ending)
  if type(ending) ~= "function" then
    refuse("bad argument #1 to 'defer' (a function expected, got %s)", type(ending))
  end
  local place, fixture = failures.place(2), fixtures.making()
  local label = place and ("defer of %s"):format(place) or "defer"
  if fixture then
    self[context].scope:defer(ending, ("%s: %s"):format(fixture, label), fixture.timeout)
  else
    self[context].scope:defer(ending, label)
  end
end

--- The value of a fixture, which is made when nobody has asked for it yet.
---
---@param fixture any a fixture, or its name
function Journey:use(fixture)
  return self[context].scope:use(fixture)
end

--- Ends the journey here, as skipped.
---
---@param reason? string
function Journey:skip(reason)
  words.verdict("skipped", reason)
end

--- Ends the journey here, as not written to its end.
---
---@param reason? string
function Journey:pending(reason)
  words.verdict("pending", reason)
end

--- Writes a line to the journey's report.
---
---@param text any
function Journey:log(text)
  runner.emit("log", { level = "info", text = tostring(text) })
end

--- Opens the prompt here, with the variables of this place; the journey goes on when its user does.
---
---     local user = j:step("Ada signs in", signIn)
---     j:pause()
---
--- It needs a terminal. The time limits stand still meanwhile.
function Journey:pause()
  require("luath.pause").here "call"
end

--- Keeps a value out of every report, wherever it turns up; returns it.
---
---@param text string
---@secret text
---@return string
function Journey:secret(text)
  if type(text) ~= "string" then
    refuse("bad argument #1 to 'secret' (a text expected, got %s)", type(text))
  end
  runner.secret(text)
  return text
end

--- Adds evidence to the journey's reports: a text, bytes such as a picture, or an open page.
---
--- Of a page luath takes the picture, in which known secrets are covered, and the masked HTML.
---
---     j:attach("the answer", json.encode(answer), "application/json")
---     j:attach("after the login", page)
---
---@param name string
---@param data string|Page
---@param mediaType? string such as `text/csv`; guessed from the content when not given
function Journey:attach(name, data, mediaType)
  if type(name) ~= "string" or name == "" then
    refuse("bad argument #1 to 'attach' (a name expected, got %s)",
      name == "" and "an empty string" or type(name))
  elseif getmetatable(data) == "Page" then
    if mediaType ~= nil then
      refuse "bad argument #3 to 'attach' (a page has no media type; leave it out)"
    end
    runner.record(name, "request", data)
  elseif type(data) ~= "string" then
    refuse("bad argument #2 to 'attach' (a string or a Page expected, got %s)", type(data))
  elseif mediaType ~= nil
    and not (type(mediaType) == "string"
      and mediaType:gsub("%s*;.*$", ""):find "^[%w.!+_-]+/[%w.!+_-]+$")
  then
    refuse "bad argument #3 to 'attach' (a media type such as text/plain or image/png expected)"
  else
    runner.attach(name, data, mediaType)
  end
end

--- A name that no other journey and no other run uses: of accounts on a project that stays.
---
---@param prefix? string
---@return string
function Journey:unique(prefix)
  local run = self[context]
  run.names = (run.names or 0) + 1
  local text = require("luath.crypto").random(16):gsub("[^%w]", ""):lower():sub(1, 12)
  local name <const> = ("%s-%s-%d"):format(prefix or "luath", text, run.names)
  runner.made(name)
  return name
end

entries(Journey)

--- The test users of a journey or fixture, which also has them under their name before 0.2.0.
local function usersOf(owner, scope)
  local users = require("luath.journey.users").of(scope)
  rawset(owner, "users", users)
  rawset(owner, "people", users)
  return users
end

function Journey.__index(self, key)
  local method = Journey[key]
  if method ~= nil then
    return method
  elseif key == "users" or key == "people" then
    return usersOf(self, self[context].scope)
  elseif type(key) == "string" then
    -- A field of a script's own that was not set reads as nil, but a mistyped method must not.
    return nil
  end
end

--- Makes what a journey's function is given.
function context.make(run)
  local test = run.test
  return setmetatable({
    [context] = run, name = test.name, path = tree.names(test), tags = test.allTags,
    row = run.row, attempt = run.attempt,
  }, Journey)
end

--- Makes what a fixture of a file or of the run is given in place of a journey.
function context.makeWide(scope)
  return function(fixture)
    local wide = { name = fixture.name }
    wide.defer = entry(function(_, ending)
      scope:defer(ending, tostring(fixture), fixture.timeout)
    end)
    wide.use = entry(function(_, other)
      return scope:use(other)
    end)
    wide.attach, wide.log, wide.secret = Journey.attach, Journey.log, Journey.secret
    return setmetatable(wide, {
      __index = function(self, key)
        if key == "users" or key == "people" then
          return usersOf(self, scope)
        end
      end,
    })
  end
end

local All <const> = { __name = "Block" }

function All.__index(_, key)
  if key ~= "name" then
    refuse("beforeAll has no '%s'; there are log, name, pending, secret, skip", tostring(key))
  end
end

--- Makes what a `beforeAll` is given in place of a journey.
function context.makeAll(block)
  return setmetatable({
    name = block.name, log = Journey.log, secret = Journey.secret, skip = Journey.skip,
    pending = Journey.pending,
  }, All)
end

return context
