--- One journey from its hooks to its end.
local runs = {}

local runner <const> = require "luath.runner"
local task <const> = require "luath.task"
local blocks <const> = require "luath.journey.blocks"
local failures <const> = require "luath.journey.failures"
local fixtures <const> = require "luath.journey.fixtures"
local globals <const> = require "luath.journey.globals"
local rows <const> = require "luath.journey.rows"
local steps <const> = require "luath.journey.steps"
local tree <const> = require "luath.journey.tree"
local words <const> = require "luath.journey.words"

--- Seconds that each hook, `finally`, deferred function and fixture has at the end.
local LIMIT <const> = 5

steps.Verdict = words.Verdict

--- What failed in teardowns of blocks that ended between two journeys: the file's failures.
local late = {}

--- The journey that runs, or ran and is not finished.
runs.current = nil

local function append(list, more)
  return table.move(more, 1, #more, #list + 1, list)
end

--- The seed of a journey's random numbers: of the run's and its name, whatever ran before it.
local function seed(test)
  local value = math.tointeger(tonumber(runner.options.seed)) or 0
  for byte in table.concat(tree.names(test), "\0"):gmatch "." do
    value = (value * 31 + byte:byte()) & 0x7FFFFFFFFFFFFFFF
  end
  return value
end

--- The verdict that a raised value stands for, if it is one.
local function verdict(err)
  return type(err) == "table" and debug.getmetatable(err) == words.Verdict and err or nil
end

--- Runs before_each from outside inwards; tells how far it came.
local function before(run)
  for _, block in ipairs(run.path) do
    run.reached = block
    local list = blocks.hooks(block, "before_each", nil, run.j)
    if #list > 0 then
      return list
    end
  end
end

local function ended(run, status, list, reason)
  run.status = status
  return { status = status, failures = list or {}, reason = reason }
end

local function body(run)
  for _, fixture in ipairs(fixtures.automatic) do
    run.scope:use(fixture)
  end
  return run.test.body(run.j, run.test.row)
end

--- What became of the body.
local function judge(run, good, caught)
  local list = run.soft
  if good then
    return ended(run, #list > 0 and "failed" or "passed", list)
  end
  local said = verdict(caught.err)
  if said then
    return ended(run, #list > 0 and "failed" or said.state, list, said.reason)
  end
  local around = steps.namesOf(caught.err)
  local made = failures.make(steps.caught(caught), nil, around)
  if not made.where and run.test.line then
    -- After a tail call such as `return expect.equal(…)` nothing of the journey is left to see.
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
function runs.start(test, fileScope, make, attempt)
  local run = { test = test, path = tree.path(test), soft = {}, attempt = attempt or 1 }
  runs.current = run
  fileScope:settle()
  fileScope.outer:settle()
  if test.row then
    -- Once more, as the secrets of one virtual user's journey are not those of its next.
    rows.hide(test.row)
  end
  steps.begin()
  run.scope = fixtures.scope("journey", fileScope, function()
    return run.j
  end)
  append(late, blocks.leave(run.path, LIMIT))
  if test.kind == "journey" then
    run.saved = globals.save()
  end
  math.randomseed(seed(test))
  run.element = { isTest = true, kind = test.kind, parent = test.parent, env = {} }
  run.j = make(run)
  local failed = blocks.enter(run.path) or before(run)
  if failed then
    return ended(run, "failed", failed)
  end
  tree.current = run.element
  local good, caught = xpcall(body, failures.catch, run)
  tree.current = nil
  return judge(run, good, caught)
end

--- Runs `finally` of busted's words.
local function finally(run)
  local ending = run.element and run.element.finally
  if not ending then
    return {}
  end
  run.element.finally = nil
  tree.current = { isHook = true, parent = run.element, env = {} }
  local good, caught = xpcall(task.timeout, failures.catch, LIMIT, ending)
  tree.current = nil
  return good and {} or { failures.make(caught, "finally") }
end

--- Runs after_each from where before_each came to, outwards.
local function after(run)
  local list = {}
  while run.reached do
    local block = run.reached
    run.reached = block.parent
    append(list, blocks.hooks(block, "after_each", LIMIT, run.j))
  end
  return list
end

--- Ends the journey that ran, also one that was stopped: finally, after_each, fixtures.
---
--- When this is stopped too, another call goes on with what is left.
---
---@return table[] failures
---@return string[] steps names of the steps that it was stopped in
function runs.finish()
  local run = runs.current
  if not run then
    return {}, {}
  end
  local around = steps.open()
  steps.close(run.status or "interrupted")
  local list = finally(run)
  append(list, after(run))
  append(list, run.scope:finish(LIMIT))
  if run.saved then
    globals.restore(run.saved)
  end
  runs.current, tree.current = nil, nil
  return list, around
end

--- Ends the file: teardowns of blocks still open, then the fixtures of the file.
function runs.leave(fileScope)
  local list = append(late, blocks.leave(nil, LIMIT))
  late = {}
  return append(list, fileScope:finish(LIMIT))
end

--- Ends the fixtures of the run.
function runs.close(runScope)
  return runScope:finish(LIMIT)
end

return runs
