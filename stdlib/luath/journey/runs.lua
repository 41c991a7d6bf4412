--- One journey from its hooks to its end.
local runs = {}

local runner <const> = require "luath.runner"
local blocks <const> = require "luath.journey.blocks"
local events <const> = require "luath.journey.events"
local failures <const> = require "luath.journey.failures"
local fixtures <const> = require "luath.journey.fixtures"
local globals <const> = require "luath.journey.globals"
local rows <const> = require "luath.journey.rows"
local steps <const> = require "luath.journey.steps"
local tree <const> = require "luath.journey.tree"
local append <const> = failures.append

--- Seconds that each hook, `finally`, deferred function and fixture has at the end.
local LIMIT <const> = 5

--- What failed in teardowns of blocks that ended between two journeys: the file's failures.
local late = {}

--- The journey that runs, or ran and is not finished.
runs.current = nil

--- The variables of the place where it failed last, for a pause; nil when they are not known.
runs.frame = nil

--- Notes the place of the first failure of a list.
local function noteFrame(list)
  runs.frame = list[1] and failures.frames[list[1]] or runs.frame
end

--- The seed of a journey's random numbers: of the run's and its name, whatever ran before it.
local function seed(test)
  local value = math.tointeger(tonumber(runner.options.seed)) or 0
  local name <const> = table.concat(tree.names(test), "\0")
  for index = 1, #name do
    value = (value * 31 + name:byte(index)) & 0x7FFFFFFFFFFFFFFF
  end
  return value
end

--- Runs before_each from outside inwards; `run.reached` is the block it came to.
local function before(run)
  local lifetime = runner.lifetime "hooks"
  local list
  for _, block in ipairs(run.path) do
    run.reached = block
    list = blocks.hooks(block, "before_each", run.j)
    if #list > 0 or list.verdict then
      break
    end
  end
  runner.lifetime(lifetime)
  return list and (#list > 0 or list.verdict) and list or nil
end

--- The wait for tasks, as something to bring to its end; nil when there is nothing to wait for.
local function waitForTasks(lifetime)
  return runner.tasks(lifetime) > 0 and {
    label = "a task of hooks or fixtures", limit = LIMIT,
    run = function()
      runner.awaitTasks(lifetime)
      return {}
    end,
  } or nil
end

--- What soft checks found since it was told last.
local function soft(run)
  local list = {}
  for index, failure in ipairs(run.soft) do
    list[index], run.soft[index] = failure, nil
  end
  return list
end

local function ended(run, status, list, reason)
  run.status = status
  for _, failure in ipairs(list or {}) do
    run.isError = run.isError or failure.kind ~= "assertion"
  end
  noteFrame(list or {})
  return { status = status, failures = list or {}, reason = reason }
end

local function body(run)
  for _, fixture in ipairs(fixtures.automatic) do
    run.scope:use(fixture)
  end
  if run.test.kind == "it" then
    -- As under busted, which hands nothing on.
    run.isHeard = true
    events.tell("start", run.test)
    run.test.body()
  else
    run.test.body(run.j, run.row)
  end
  -- Tasks that nobody awaits may use what hooks and fixtures made. Those that hooks and fixtures
  -- spawned go on until these have ended.
  if runner.tasks "journey" > 0 then
    runner.awaitTasks "journey"
  end
end

--- What became of the body.
local function judge(run, good, caught)
  local list = soft(run)
  -- The host does not take what is given when the journey's time is over.
  run.judged = table.move(list, 1, #list, 1, {})
  if good then
    -- The host adds the failures of tasks.
    local result = ended(run, #list > 0 and "failed" or "passed", list)
    local _, hasFailed = runner.tasks "journey"
    if hasFailed then
      run.status, run.isError = "failed", true
    end
    return result
  end
  local said = failures.verdict(caught.err)
  if said then
    return ended(run, #list > 0 and "failed" or said.state, list, said.reason)
  end
  local around = steps.namesOf(caught.err)
  local made = failures.make(steps.caught(caught), nil, around)
  if not made.where and run.test.line then
    -- No line of the file is on the stack, as behind the tail call `return j:use(…)`.
    made.where = ("%s:%d"):format(run.test.file, run.test.line)
  end
  append(list, { made })
  return ended(run, "failed", list)
end

--- Begins and runs a journey, up to the end of its body.
---
---@param test table
---@param fileScope table
---@param make function makes what the journey is given
---@param attempt? integer
---@param row? table for a journey that has none of its own
function runs.start(test, fileScope, make, attempt, row)
  row = test.row or row
  local run = { test = test, row = row, path = tree.path(test), soft = {}, attempt = attempt or 1 }
  runs.current, runs.frame, failures.kept = run, nil, run.soft
  fileScope:settle()
  fileScope.outer:settle()
  if row then
    -- Once more, as the secrets of one virtual user's journey are not those of its next.
    rows.hide(row)
  end
  steps.begin()
  run.scope = fixtures.scope("journey", fileScope, function()
    return run.j
  end)
  append(late, blocks.leave(run.path, LIMIT, run.attempt > 1))
  if test.kind == "journey" then
    run.saved = globals.save()
  end
  globals.note()
  math.randomseed(seed(test))
  run.element = { isTest = true, kind = test.kind, parent = test.parent, env = {} }
  run.j = make(run)
  local failed = blocks.enter(run.path) or before(run)
  if failed then
    local said = #failed == 0 and failed.verdict
    return ended(run, said and said.state or "failed", failed, said and said.reason)
  end
  tree.current = run.element
  local good, caught = failures.call(body, run)
  tree.current = nil
  globals.mend()
  return judge(run, good, caught)
end

--- Something that busted runs behind a test, as something to bring to its end.
local function behind(run, label, f)
  return {
    label = label, limit = LIMIT,
    run = function()
      tree.current = { isHook = true, parent = run.element, env = {} }
      local good, caught = failures.timed(LIMIT, f)
      tree.current = nil
      if good then
        return {}
      end
      run.status, run.isError = "failed", true
      return { failures.make(caught, label) }
    end,
  }
end

--- `finally` of busted's words.
local function finally(run)
  local ending = run.element and run.element.finally
  if not ending then
    return nil
  end
  run.element.finally = nil
  return behind(run, "finally", ending)
end

--- What became of a test, in busted's words.
local function status(run)
  if run.status == "failed" then
    return run.isError and "error" or "failure"
  end
  return ({ passed = "success", pending = "pending", skipped = "pending" })[run.status] or "error"
end

--- Tells those who subscribed to it that a test has ended.
local function told(run)
  if not run.isHeard then
    return nil
  end
  run.isHeard = false
  return behind(run, "a subscriber of { \"test\", \"end\" }", function()
    events.tell("end", run.test, status(run))
  end)
end

--- What comes next of a journey's end: `finally`, subscribers, after_each from where before_each
--- came to outwards, and what was deferred, newest first.
local function following(run)
  local unit = finally(run) or told(run)
  while not unit and (run.after or run.reached) do
    unit = run.after and table.remove(run.after, 1)
    if not unit then
      local block = run.reached
      run.reached = block and block.parent
      run.after = block and blocks.endings(block, "after_each", LIMIT, run.j)
    end
  end
  return unit or run.scope and run.scope:following(LIMIT) or waitForTasks "hooks"
end

--- Goes on with the end of the journey that ran or was stopped: one thing with each call.
---
--- So what is stopped, since it computes without end, keeps nothing else from being run.
---
---@param isLost? boolean whether what the journey gave did not arrive
---@return table[] list of failures
---@return string[] steps names of the steps that it was stopped in
---@return table? following `label` and `limit` (seconds) of what the next call does
function runs.finish(isLost)
  local run = runs.current
  if not run then
    return {}, {}
  end
  runner.lifetime "hooks"
  local around, list = {}, {}
  if not run.isEnding then
    run.isEnding = true
    around = steps.open()
    steps.doing = nil
    steps.close(run.status or "interrupted")
    if isLost then
      list = run.judged or list
    end
  end
  local unit = run.unit
  if unit then
    run.unit = nil
    list = unit.run()
  end
  -- Also what was found before the journey or this part of its end had to be stopped.
  list = append(append({}, list), soft(run))
  noteFrame(list)
  run.unit = following(run)
  if run.unit then
    return list, around, { label = run.unit.label, limit = run.unit.limit }
  end
  append(list, run.scope and run.scope:finish(LIMIT) or {})
  append(list, soft(run))
  failures.kept = nil
  if run.saved then
    globals.restore(run.saved)
  end
  runs.current, tree.current = nil, nil
  return list, around
end

--- What is to be brought to its end outside of journeys.
local unit

--- Goes on with an end outside of journeys, as `finish` does: one thing with each call.
---
---@param next_ function gives what comes next, or nil
---@param scope? table ends when nothing comes next
---@return table[] list of failures
---@return table? following
local function goOn(next_, scope)
  runner.lifetime "hooks"
  local list, one = late, unit
  late, unit = {}, nil
  -- What soft checks found before the last call had to be stopped.
  append(list, failures.kept or {})
  if one then
    failures.kept = {}
    append(list, one.run())
    append(list, failures.kept)
  end
  failures.kept = nil
  unit = next_()
  if unit then
    return list, { label = unit.label, limit = unit.limit }
  end
  return scope and append(list, scope:finish(LIMIT)) or list
end

--- Goes on with leaving the blocks that are not around the next journey.
---
---@return table[] list of failures of their teardowns
---@return table? following as that of `finish`
function runs.prepare(test)
  return goOn(function()
    return blocks.following(tree.path(test), LIMIT) or waitForTasks "hooks"
  end)
end

--- Goes on with the end of the file: teardowns of blocks still open, then the fixtures of the file.
function runs.leave(fileScope)
  return goOn(function()
    -- What the run's fixtures spawned goes on until these have ended.
    local isKept = #fileScope.outer.endings > 0
    return blocks.following(nil, LIMIT) or fileScope:following(LIMIT)
      or waitForTasks(isKept and "hooks" or "file")
  end, fileScope)
end

--- Goes on with the end of the fixtures of the run.
function runs.close(runScope)
  return goOn(function()
    return runScope:following(LIMIT) or waitForTasks "file"
  end, runScope)
end

return runs
