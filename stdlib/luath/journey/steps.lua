--- Steps: the named parts of a journey, as they are told to the runner.
local steps = {}

local library <const> = require "luath.expect.library"
local runner <const> = require "luath.runner"
local failures <const> = require "luath.journey.failures"

--- The journey that runs: what was begun, by which coroutine.
local stacks, main, count

--- `luath.pause` while the run pauses before steps; nil otherwise.
steps.pauses = nil

--- Which step each value was raised in first, and what was taken down there.
local failed

--- Forgets the steps of an earlier journey.
function steps.begin()
  stacks = setmetatable({}, { __mode = "k" })
  main = coroutine.running()
  count, failed = 0, {}
  if steps.pauses then
    steps.pauses.isStepping = runner.options.pauses == "step"
  end
  steps.doing, steps.cut = nil, nil
end

--- The step the caller is in; a task is in that which its journey was in when it began its first.
local function top()
  local stack = stacks[coroutine.running()]
  if stack then
    return stack[#stack] or stack.root
  end
  local outer = stacks[main]
  return outer and outer[#outer]
end

local function names(step)
  local list = {}
  while step do
    table.insert(list, 1, step.name)
    step = step.parent
  end
  return list
end

--- The names of the steps around the caller, outermost first.
function steps.names()
  return stacks and names(top()) or {}
end

--- The names of the steps in which a value was raised first, as long as it was not caught.
function steps.namesOf(err)
  local first = err ~= nil and failed and failed[err]
  return first and names(first.step) or {}
end

local function ended(step, status, isCut)
  if step.isOpen then
    step.isOpen = false
    runner.emit("step.end", { step = step.id, status = status, isCut = isCut })
  end
end

--- Notes the innermost step that a value comes through.
---
--- Several may be on their way: a task fails, and those beside it are cancelled.
local function noteFirst(caught, step)
  local err = caught.err
  if err == nil or err ~= err then
    return
  end
  local inner = failed[err] and failed[err].step
  while inner and inner ~= step do
    inner = inner.parent
  end
  if not inner then
    failed[err] = { caught = caught, step = step }
  end
  if failures.isAssertion(err) and rawget(err, "steps") == nil then
    -- For the host, when nobody awaits the task that failed.
    err.steps = names(step)
  end
end

--- Runs a function as a step; gives what it gives, raises what it raises.
function steps.run(name, body, ...)
  if steps.pauses and steps.pauses.isStepping then
    steps.pauses.here("step", name)
  end
  library.borrow()
  local coroutine_ = coroutine.running()
  local parent = top()
  local stack = stacks[coroutine_]
  if not stack then
    stack = { root = parent }
    stacks[coroutine_] = stack
  end
  count = count + 1
  local step = { id = count, name = name, parent = parent, isOpen = true }
  stack[#stack + 1] = step
  runner.emit("step.start", {
    step = step.id, parent = parent and parent.id, name = name, where = failures.place(2),
  })
  local results = table.pack(failures.call(body, ...))
  if not results[1] then
    steps.noteCut(results[2].err)
  end
  failures.record(name, "step")
  stack[#stack] = nil
  if results[1] then
    ended(step, "passed")
    library.giveBack()
    return table.unpack(results, 2, results.n)
  end
  local caught = results[2]
  local verdict = failures.verdict(caught.err)
  -- An interrupted run cancels what its steps wait for.
  local isCut = type(caught.err) == "table" and rawget(caught.err, "code") == "cancelled" or nil
  ended(step, verdict and verdict.state or "failed", isCut)
  noteFirst(caught, step)
  library.giveBack()
  error(caught.err, 0)
end

--- Keeps where a journey was when its time was over, as all that waits then raises.
function steps.noteCut(err)
  if not steps.cut and type(err) == "table" and rawget(err, "code") == "cancelled" then
    steps.cut = steps.names()
    steps.cut[#steps.cut + 1] = steps.doing
  end
end

--- What was taken down where a value was raised first; the same value when nothing is known.
function steps.caught(caught)
  local first = caught.err ~= nil and failed and failed[caught.err]
  return first and first.caught or caught
end

--- The names of the steps that a stopped journey left open, outermost first.
function steps.open()
  local last
  for _, stack in pairs(stacks or {}) do
    local step = stack[#stack]
    if step and (not last or step.id > last.id) then
      last = step
    end
  end
  if steps.cut and not last and not steps.doing then
    return steps.cut
  end
  local list = names(last)
  -- The hook or fixture that was stopped, if it was one.
  list[#list + 1] = steps.doing
  return list
end

--- Ends what a stopped journey left open.
function steps.close(status)
  for _, stack in pairs(stacks or {}) do
    for index = #stack, 1, -1 do
      ended(stack[index], status)
      stack[index] = nil
    end
  end
end

return steps
