--- What the runner calls: collects the journeys of a file, and runs one after the other.
---
--- `install` comes before the file is loaded, `collect` afterwards; then for each journey `run` and
--- `finish`, and at the end of the file `leave`. All may wait, and may be stopped.
local engine = {}

local library <const> = require "luath.expect.library"
local runner <const> = require "luath.runner"
local blocks <const> = require "luath.journey.blocks"
local context <const> = require "luath.journey.context"
local environment <const> = require "luath.journey.environment"
local failures <const> = require "luath.journey.failures"
local fixtures <const> = require "luath.journey.fixtures"
local globals <const> = require "luath.journey.globals"
local output <const> = require "luath.journey.output"
local rows <const> = require "luath.journey.rows"
local runs <const> = require "luath.journey.runs"
local spec <const> = require "luath.journey.spec"
local steps <const> = require "luath.journey.steps"
local tree <const> = require "luath.journey.tree"
local words <const> = require "luath.journey.words"

local pack <const>, unpack <const> = table.pack, table.unpack
local fileScope, runScope

--- Makes the words of journeys and specs known, before the file is loaded.
function engine.install()
  output.install()
  tree.begin()
  blocks.begin()
  fixtures.begin()
  runScope = fixtures.scope("run")
  runScope.context = context.makeWide(runScope)
  fileScope = fixtures.scope("file", runScope)
  fileScope.context = context.makeWide(fileScope)
  if runner.options.pauses then
    steps.pauses = require "luath.pause"
    failures.capture = runner.options.pauses == "failure" and steps.pauses.capture or nil
  end
  words.install()
  spec.install(environment.words)
  environment.await()
end

--- Puts a block's children into an order that the seed decides.
local function shuffle(list, seed)
  local state = (seed * 2654435761 + 1) & 0xFFFFFFFF
  for last = #list, 2, -1 do
    state = (state * 1103515245 + 12345) & 0x7FFFFFFF
    local other = (state >> 8) % last + 1
    list[last], list[other] = list[other], list[last]
  end
end

--- A journey in place of a block whose body failed, so that nobody misses those inside.
local function broken(block, caught)
  block.children = {
    {
      kind = "it", name = "(the block could not be read)", parent = block, file = block.file,
      line = block.line, body = function()
        error(caught.err, 0)
      end,
    },
  }
  block.hooks = {}
end

local function read(block)
  if not block.body then
    return
  end
  tree.current = block
  local before = block.kind == "insulate" and globals.insulate()
  local good, caught = failures.call(block.body)
  if before then
    block.changes = blocks.changes(before)
    globals.expel(before)
  end
  if not good then
    broken(block, caught)
  end
end

--- Reads the bodies of all blocks, outer ones first, and lists what is in them.
local function gather(block, list)
  read(block)
  if block.randomize then
    shuffle(block.children, block.randomize.seed or tonumber(runner.options.seed) or 0)
  end
  for _, child in ipairs(block.children) do
    if child.isBlock then
      gather(child, list)
    else
      list[#list + 1] = child
    end
  end
  return list
end

--- Lists the journeys of the file that was loaded.
---
---@return table declared `isParallel`, `keepsProject`, `hasOnly`, `load` and `journeys`: a list of
--- tables with index, name, line, file, tags, kind, state, reason, timeout, retries, weight
function engine.collect()
  environment.release()
  tree.tests = gather(tree.root, {})
  tree.current = nil
  local settings, list = tree.configuration, {}
  local hasOnly = false
  for index, test in ipairs(tree.tests) do
    test.allTags = tree.tagsOf(test)
    hasOnly = hasOnly or test.state == "only"
    list[index] = {
      index = index, name = tree.names(test), line = test.line, file = test.file,
      tags = test.allTags, kind = test.kind, state = test.state, reason = test.reason,
      timeout = test.timeout or settings.timeout, retries = test.retries or settings.retries,
      weight = test.weight,
    }
  end
  return {
    journeys = list, isParallel = settings.parallel or false,
    keepsProject = settings.project == "file", hasOnly = hasOnly, load = tree.load,
  }
end

--- Whether a journey has these names: of the blocks around it, and its own.
local function isNamed(test, names)
  local own = tree.names(test)
  if #own ~= #names then
    return false
  end
  for at, name in ipairs(names) do
    if own[at] ~= name then
      return false
    end
  end
  return true
end

--- The journey of an index, or of these names where this state declared in another order.
---
--- Each state that reads the file may: the order of `pairs` differs from state to state.
local function find(index, names)
  local test = tree.tests[index]
  if not names or test and isNamed(test, names) then
    return test
  end
  for _, other in ipairs(tree.tests) do
    if isNamed(other, names) then
      return other
    end
  end
end

--- Runs a journey up to the end of its body: blocks are entered, before_each and fixtures run.
---
---@param index integer
---@param attempt? integer how often it was begun in this run
---@param names? string[] of the blocks around it, and its own
---@param row? table for a journey that has none of its own
---@return table result `status`, `failures` and `reason`
function engine.run(index, attempt, names, row)
  local test = find(index, names)
  if not test then
    return { status = "failed", failures = { {
      kind = "error", message = "the file does not declare this journey when it is read again",
      hint = "if it has another name now, run the file again; "
        .. "no name may depend on chance, the time or what ran before",
    } } }
  end
  return runs.start(test, fileScope, context.make, attempt, row)
end

--- Goes on with leaving the blocks that are not around a journey, before it is run.
---
---@return table result `failures`, of the file, and `following` as that of `finish`
function engine.prepare(index, _, names)
  local test = find(index, names)
  if not test then
    return { failures = {} }
  end
  local list <const>, following <const> = runs.prepare(test)
  return { failures = list, following = following }
end

--- Goes on with the end of the journey that ran or was stopped.
---
---@param isLost? boolean whether what `run` gave did not arrive
---@return table result `failures`; `steps`: the names of the steps that it was stopped in; and
--- `following`, with the `label` and the `limit` of what is left to do by the next call, if any
function engine.finish(isLost)
  local list <const>, around <const>, following <const> = runs.finish(isLost)
  if not following then
    output.flush()
  end
  return { failures = list, steps = around, following = following }
end

--- Goes on with the end of the file: what is still open of its blocks and fixtures.
---
---@return table result `failures`, `following` as that of `finish`, and `isKept`: whether it made
--- something for the whole run and `close` is to be called at the end of that
function engine.leave()
  local list <const>, following <const> = runs.leave(fileScope)
  return { failures = list, following = following, isKept = #runScope.endings > 0 }
end

--- Goes on with the end of the fixtures of the run that this file made.
---
---@return table result `failures`, and `following` as that of `finish`
function engine.close()
  local list <const>, following <const> = runs.close(runScope)
  return { failures = list, following = following }
end

--- Notes an expectation that failed and does not end the journey.
---
---@param err table what the expectation would have raised
---@return boolean isTaken false when no journey runs, and it has to be raised
function engine.soft(err)
  if not failures.kept then
    return false
  end
  local caught = failures.catch(err)
  local failure = failures.make(caught, nil, require("luath.journey.steps").names())
  failures.keep { failure }
  runner.emit("assert", { soft = true, failure = failure })
  failures.record("check failed", "failure")
  return true
end

--- Has a function of the engine find Lua's library as it was, whatever the file made of it.
local function speaking(f)
  return function(...)
    library.borrow()
    local results = pack(f(...))
    library.giveBack()
    return unpack(results, 1, results.n)
  end
end

--- Reads the rows of a load run.
---
---@param path string
---@param file? string the script in whose folder a relative path is; else the working folder
---@return table[]
function engine.rows(path, file)
  return rows.read(path, file)
end

for _, name in ipairs { "collect", "rows", "run", "prepare", "finish", "leave", "close", "soft" } do
  engine[name] = speaking(engine[name])
end

return engine
