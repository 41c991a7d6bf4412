--- Pauses: the prompt in the middle of a journey or script, with the variables of the place.
local pause = {}

local failures <const> = require "luath.journey.failures"
local runner <const> = require "luath.runner"

local getinfo <const>, getlocal <const>, setlocal <const>, getupvalue <const>, setupvalue <const> =
  debug.getinfo, debug.getlocal, debug.setlocal, debug.getupvalue, debug.setupvalue
local next, rawequal = next, rawequal
local running <const> = coroutine.running

--- The calls that are looked at for one of the script.
local LEVELS <const> = 1000

--- Whether the journey that runs pauses before its next step.
pause.isStepping = false

--- The coroutines that are paused or wait for their turn, by the number of their pause.
local threads <const> = setmetatable({}, { __mode = "v" })

--- How many pauses there were.
local count = 0

--- The place of the pause: `variables` by name, and where its locals are.
pause.frame = nil

--- A variable of its own, for a value that is in no upvalue.
local function box(value)
  return {
    owner = function()
      return value
    end,
    index = 1, isConstant = false,
  }
end

--- Whether a call is one of the script, and not of luath or of C.
local function isScript(info)
  return info.what ~= "C" and info.currentline > 0 and not failures.isLibrary(info.source)
end

--- The upvalues of a function as variables.
local function upvalues(f, variables)
  local index = 1
  local name = getupvalue(f, index)
  while name do
    if name ~= "_ENV" and name ~= "(no name)" then
      variables[name] = { owner = f, index = index, isConstant = false }
    end
    index = index + 1
    name = getupvalue(f, index)
  end
end

--- Copies the variables of the innermost script function at or above a level of the stack.
---
--- They are copied because the function has ended when the user looks at them.
---
---@param level integer
---@return table? frame
function pause.capture(level)
  local at, info = level + 1, getinfo(level + 1, "Sl")
  while info and at < LEVELS and not isScript(info) do
    at = at + 1
    info = getinfo(at, "Sl")
  end
  if not info then
    return nil
  end
  local variables <const> = {}
  upvalues(getinfo(at, "f").func, variables)
  local slot = 1
  local name, value = getlocal(at, slot)
  while name do
    if name:sub(1, 1) ~= "(" then
      variables[name] = box(value)
    end
    slot = slot + 1
    name, value = getlocal(at, slot)
  end
  return {
    variables = variables, file = info.source:gsub("^[@=]", ""), line = info.currentline,
  }
end

--- The variables of a coroutine that waits; `pause.assign` writes assignments to its locals.
local function live(thread)
  local level, info = 0, getinfo(thread, 0, "Sl")
  while info and level < LEVELS and not isScript(info) do
    level = level + 1
    info = getinfo(thread, level, "Sl")
  end
  if not info then
    return { variables = {} }
  end
  local variables <const>, locals <const> = {}, {}
  upvalues(getinfo(thread, level, "f").func, variables)
  local slot = 1
  local name, value = getlocal(thread, level, slot)
  while name do
    if name:sub(1, 1) ~= "(" then
      -- A later local of the same name hides the earlier one.
      variables[name] = box(value)
      locals[name] = slot
    end
    slot = slot + 1
    name, value = getlocal(thread, level, slot)
  end
  return {
    variables = variables, locals = locals, thread = thread, level = level,
    file = (info.source:gsub("^[@=]", "")), line = info.currentline,
  }
end

--- Copies the locals of the coroutine into the variables, before an entry runs.
function pause.refresh()
  local frame <const> = pause.frame
  for name, slot in next, frame and frame.locals or {} do
    local _, value = getlocal(frame.thread, frame.level, slot)
    local variable <const> = frame.variables[name]
    setupvalue(variable.owner, variable.index, value)
  end
end

--- Copies what an entry has assigned to variables into the locals of the coroutine.
function pause.assign()
  local frame <const> = pause.frame
  for name, slot in next, frame and frame.locals or {} do
    local variable <const> = frame.variables[name]
    local _, value = getupvalue(variable.owner, variable.index)
    local _, before = getlocal(frame.thread, frame.level, slot)
    if not rawequal(value, before) then
      setlocal(frame.thread, frame.level, slot, value)
    end
  end
end

--- The journey that runs, when there is one.
local function journey()
  local runs <const> = package.loaded["luath.journey.runs"]
  local run <const> = runs and runs.current
  return run and run.j
end

--- Opens the prompt, and waits until its user goes on.
---
---@param reason string call or step
---@param next_? string the name of the step that is about to begin
function pause.here(reason, next_)
  local j <const> = journey()
  local steps <const> = package.loaded["luath.journey.steps"]
  local _, file, line = failures.place(2)
  count = count + 1
  local number <const> = count
  threads[number] = running()
  local answer
  repeat
    answer = runner.pause {
      reason = reason, journey = j and j.path or {}, steps = steps and steps.names() or {},
      file = file, line = line, next = next_, number = number,
    }
    -- At the pause of another task, the user may have chosen to go on without steps.
  until answer ~= "wait" or reason == "step" and not pause.isStepping
  threads[number] = nil
  if answer == "wait" then
    return
  end
  pause.isStepping = answer == "step"
  if steps then
    steps.pauses = pause
  end
end

--- Has the next pause show the place where the journey failed.
---
---@return table spot `file` and `line`, when they are known
function pause.atFailure()
  pause.frame = require "luath.journey.runs".frame or { variables = {} }
  return { file = pause.frame.file, line = pause.frame.line }
end

--- Offers the variables of the place to the prompt.
---
---@param number? integer of the pause; none where the journey has failed
---@return table<string, table> variables
function pause.enter(number)
  if number and threads[number] then
    pause.frame = live(threads[number])
  end
  local frame <const>, j <const> = pause.frame or { variables = {} }, journey()
  pause.frame = frame
  frame.variables.j = frame.variables.j or j and box(j)
  return frame.variables
end

--- Forgets the place.
function pause.leave()
  pause.frame = nil
end

return pause
