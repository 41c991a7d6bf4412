--- What the host calls for a reporter: takes what its script returned, and passes events to it.
local reporter = {}

local words <const> = require "luath.expect.words"
local output <const> = require "luath.journey.output"

local package <const> = package

--- Modules that act on a target; a reporter has none.
local TARGETED <const> = { "luath.admin", "luath.auth", "luath.emulator" }

--- The events that exist, by name.
local known = { finish = true }
--- What the script returned: a function, or a table of functions by event.
local handlers

local function fail(hint, message, ...)
  error({ message = message:format(...), hint = hint }, 0)
end

--- Prepares the state before the script is loaded.
---
---@param events string[] the names of all events
function reporter.install(events)
  local host <const> = require "luath.reporter.host"
  for _, name in ipairs(events) do
    known[name] = true
  end
  output.redirect(function(line)
    host.write(line .. "\n")
  end, host.write)
  for _, name in ipairs(TARGETED) do
    package.preload[name] = function()
      fail("act on the project in a journey; a reporter receives events only",
        "a reporter cannot use %s, as it has no target", name)
    end
  end
end

--- Takes what the script returned.
function reporter.receive(value)
  local example <const> =
    'end it with: return { ["journey.result"] = function(event) … end, finish = function() … end }'
  if type(value) ~= "function" and type(value) ~= "table" then
    fail(example, "a reporter returns a function or a table of functions, not %s",
      value == nil and "nothing" or "a " .. type(value))
  end
  for name, handler in pairs(type(value) == "table" and value or {}) do
    if not known[name] then
      fail("the events: " .. table.concat(words.sorted(known), ", "), "%s",
        words.unknown("event", name, known))
    elseif type(handler) ~= "function" then
      fail(example, "'%s' of a reporter is a function, not a %s", name, type(handler))
    end
  end
  if type(value) == "table" and next(value) == nil then
    fail(example, "the reporter returns an empty table, so it would receive no event")
  end
  handlers = value
end

--- Returns `events`: the names of the events that the reporter receives, or nil for all events.
function reporter.describe()
  return { events = type(handlers) == "table" and words.sorted(handlers) or nil }
end

--- Passes an event to the reporter.
function reporter.take(event)
  local handler <const> = type(handlers) == "table" and handlers[event.event] or handlers
  handler(event)
end

--- Calls `finish` after the last event.
function reporter.finish()
  local handler <const> = type(handlers) == "table" and handlers.finish
  if handler then
    handler()
  end
end

return reporter
