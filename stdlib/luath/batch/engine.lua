--- What the host calls: takes the batch that a script returned, and puts its rows through it.
local engine = {}

local accounts <const> = require "luath.batch.accounts"
local definition <const> = require "luath.batch.definition"
local words <const> = require "luath.expect.words"
local failures <const> = require "luath.journey.failures"
local operations <const> = require "luath.batch.operations"
local places <const> = require "luath.batch.places"
local planner <const> = require "luath.planner"
local task <const> = require "luath.task"

local package <const> = package

local batch

--- Takes what the script returned.
function engine.receive(value)
  if not definition.is(value) then
    error({
      message = value == nil and "the script returns nothing"
        or ("the script returns a %s that batch.define did not make"):format(type(value)),
      hint = "end it with: return batch.define { plan = function(row, accounts) … end }",
    }, 0)
  end
  batch = value
end

--- The files of the modules that the script has loaded by now, by the modules' names.
local function modules()
  local files = {}
  for name in pairs(package.loaded) do
    if type(name) == "string" and not package.preload[name] then
      files[name] = package.searchpath(name, package.path)
        or package.searchpath(name, package.cpath)
    end
  end
  return files
end

--- What the host must know of the batch.
function engine.describe()
  local undoable, checkable = {}, {}
  for name, steps in pairs(batch.operations) do
    undoable[#undoable + 1] = steps.undo and name or nil
    checkable[#checkable + 1] = steps.isDone and name or nil
  end
  return {
    columns = batch.columns, operations = words.sorted(batch.operations), undoable = undoable,
    checkable = checkable, oneAccountPerEmail = batch.oneAccountPerEmail, modules = modules(),
  }
end

--- What tells a row from the others, as text; nil when the script does not say.
local function key(row)
  local value
  if type(batch.key) == "function" then
    value = batch.key(row)
  elseif batch.key then
    value = row[batch.key]
  else
    return nil
  end
  if math.type(value) then
    return tostring(value)
  elseif type(value) ~= "string" or value == "" then
    error({
      code = "missingKey",
      message = type(batch.key) == "string"
          and ("the row has no '%s' to be known by"):format(batch.key)
        or ("key returned %s; let it return a text"):format(
          value == "" and "an empty text" or type(value)),
    }, 0)
  end
  return value
end

local function verdict(said, reason)
  if said.kind == "skip" then
    return { skip = true, why = said.text or reason }
  end
  return {
    refused = { code = said.code, message = said.text or reason or said.code },
  }
end

--- The answer to what `plan` gave.
local function answer(result, reason, handle)
  if reason ~= nil and type(reason) ~= "string" then
    error(("plan returned a %s as its reason; let it be a sentence"):format(type(reason)), 0)
  elseif result == nil or result == false then
    return { skip = true, why = reason }
  elseif operations.isVerdict(result) then
    return verdict(result, reason)
  end
  local list = operations.list(result)
  if #list == 0 then
    return { skip = true, why = reason }
  end
  for _, operation in ipairs(list) do
    local name = operation.op
    if not operations.fields[name] and not batch.operations[name] then
      error(("batch.define has no operation '%s'"):format(name), 0)
    end
  end
  local expect <const>, onChange <const> = operations.preconditions(list)
  return {
    ["do"] = list, why = reason, expect = expect, onChange = onChange,
    read = accounts.read(handle),
  }
end

--- Where the plan begins, for what no line of it is known of.
local function start()
  local info <const> = debug.getinfo(batch.plan, "S")
  return ("%s:%d: in plan"):format(info.short_src, info.linedefined)
end

--- How the host's refusal of a change begins (ScriptTransport+guard.swift), whoever sends it.
local READS <const> = "a plan only reads, and "

--- The answer to what was raised.
local function fault(caught)
  if operations.isVerdict(caught.err) then
    return verdict(caught.err)
  end
  local made = failures.make(caught)
  local place = (made.where or places.current() or start()) .. ": "
  if made.message:find(READS, 1, true) then
    return { refused = {
      code = "planOnlyReads",
      message = place .. made.message .. "; return an operation from plan instead",
    } }
  end
  return { refused = { code = made.code or "scriptError", message = place .. made.message } }
end

local function plan(number, row)
  places.leave() -- what another row reached for
  local name = key(row)
  local handle <const> = accounts.new(number)
  local result <const>, reason <const> = places.leave(batch.plan(row, handle))
  local made = answer(result, reason, handle)
  made.key = name
  return made
end

local function work()
  while true do
    local number, row = planner.next()
    if number then
      local good, made = xpcall(plan, failures.catch, number, row)
      if not good then
        made = fault(made)
      end
      -- What cannot be written to a plan is found out here.
      local written, problem = pcall(planner.planned, number, made)
      if not written then
        planner.planned(number, fault({ err = problem, calls = {} }))
      end
    elseif number == false then
      planner.ready()
    else
      return
    end
  end
end

--- Plans all rows, many side by side.
function engine.plan(workers)
  local tasks = {}
  for position = 1, workers do
    tasks[position] = task.spawn(work)
  end
  for _, one in ipairs(tasks) do
    one:await()
  end
end

--- Calls a step of a custom operation: `run`, `isDone` or `undo`.
---
---@return any what it gave; nil when the script has no such step
function engine.perform(name, step, ...)
  local steps = batch.operations[name]
  if not steps then
    error({
      message = ("the script has no operation '%s'"):format(name),
      hint = "use the script that the plan was made with",
    }, 0)
  end
  if not steps[step] then
    return nil
  elseif step == "isDone" then
    return steps[step](...)
  end
  steps[step](...)
  return true
end

return engine
