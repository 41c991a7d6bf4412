--- Tries again until something holds, for what others do in their own time.
local eventually = {}

local failure <const> = require "luath.expect.failure"
local library <const> = require "luath.expect.library"
local perform <const> = require "luath.expect.perform"
local print <const> = require "luath.expect.print"
local task <const> = require "luath.task"

local TIMEOUT <const> = 5
local INTERVAL <const> = 0.05

local OPTIONS <const> = { timeout = true, interval = true }

local function check(f, options, message)
  if type(f) ~= "function" then
    perform.mistake("eventually", 1, "function expected, got %s", type(f))
  elseif options ~= nil and type(options) ~= "table" then
    perform.mistake("eventually", 2, "table of options expected, got %s", type(options))
  elseif message ~= nil and type(message) ~= "string" then
    perform.mistake("eventually", 3, "string expected, got %s", type(message))
  end
  for name, value in pairs(options or {}) do
    if not OPTIONS[name] then
      perform.mistake("eventually", 2, "no option '%s'", tostring(name))
    elseif type(value) ~= "number" or not (value >= 0 and value < 1e6) then
      perform.mistake("eventually", 2, "option '%s': seconds of at least 0 expected", name)
    end
  end
end

--- Whether a try held: it raised nothing, no soft check failed, and its result is neither nil nor
--- false. A function that returns no value holds only by the checks in it.
local function holds(tried)
  local outcome <const> = tried.outcome
  return outcome[1] and #tried == 0 and (outcome[2] or outcome.n == 1 and tried.passed > 0)
end

--- Whether the end of the time cancelled a try.
local function isCancelled(tried)
  local raised <const> = not tried.outcome[1] and tried.outcome[2]
  return type(raised) == "table" and raised.code == "cancelled"
end

--- The fields of a failure that describe the last try.
local function described(tried)
  if not tried then
    return { message = "the first try did not end" }
  end
  local outcome <const> = tried.outcome
  local raised <const> = not outcome[1] and outcome[2] or tried[1]
  if failure.is(raised) then
    return {
      message = raised.message,
      expected = raised.expected,
      actual = raised.actual,
      diff = raised.diff,
      hint = raised.hint,
    }
  elseif not outcome[1] then
    local isTable <const> = type(raised) == "table"
    return {
      message = "raised " .. tostring(isTable and (raised.message or raised.code) or raised),
      hint = isTable and raised.hint or nil,
    }
  elseif outcome.n == 1 then
    return {
      message = "the function returned no value",
      expected = "neither nil nor false",
      actual = "no value",
      hint = "return what must be there, or check it in the function with luath.expect",
    }
  end
  local given <const> = print.line(outcome[2])
  return {
    message = "the function returned " .. given,
    expected = "neither nil nor false",
    actual = given,
  }
end

--- Calls a function again and again until it holds; gives its results.
---
---@param mode table
---@param f function
---@param options? table `timeout` and `interval` in seconds
---@param message? string
function eventually.check(mode, f, options, message)
  check(f, options, message)
  local timeout <const> = options and options.timeout or TIMEOUT
  local interval <const> = options and options.interval or INTERVAL
  local tries, last, isDone = 0, nil, false
  local good <const>, err <const> = pcall(task.timeout, timeout, function()
    repeat
      local tried <const> = failure.within(f)
      tries = tries + 1
      isDone = holds(tried)
      if not isDone then
        -- A try that is cancelled at the end of the time must not hide what was wrong before.
        last = last or not isCancelled(tried) and tried
        task.sleep(interval)
      end
      last = tried
    until isDone
  end)
  if isDone then
    failure.pass()
    return table.unpack(last.outcome, 2, last.outcome.n)
  elseif not good and (type(err) ~= "table" or err.code ~= "timeout") then
    error(err, 0)
  end
  library.borrow()
  local fields <const> = described(last)
  fields.message = ("did not hold within %g %s, in %d %s: %s"):format(
    timeout,
    timeout == 1 and "second" or "seconds",
    tries,
    tries == 1 and "try" or "tries",
    fields.message
  )
  perform.fail(mode, fields, message)
end

return eventually
