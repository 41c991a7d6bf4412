--- Entering and leaving the blocks around a journey: their setups, teardowns and insulation.
local blocks = {}

local context <const> = require "luath.journey.context"
local failures <const> = require "luath.journey.failures"
local globals <const> = require "luath.journey.globals"
local runner <const> = require "luath.runner"
local steps <const> = require "luath.journey.steps"
local tree <const> = require "luath.journey.tree"
local append <const> = failures.append

--- The blocks that are entered, outermost first, each with what to put back.
local open = {}

--- Forgets the blocks of an earlier file.
function blocks.begin()
  open = {}
end

--- Runs a hook as its element; gives whether it went well, and what was caught.
local function call(hook, limit, ...)
  if hook.isBare and select("#", ...) > 0 then
    return call(hook, limit)
  end
  local before = tree.current
  tree.current = { isHook = true, parent = hook.parent, env = {} }
  local good, caught
  if limit then
    good, caught = failures.timed(limit, hook.body, ...)
  else
    good, caught = failures.call(hook.body, ...)
  end
  tree.current = before
  globals.mend()
  return good, caught
end

--- Runs the hooks of a kind of one block, in the order they were declared.
---
---@return table[] list of what went wrong, with `verdict` when one of them skips the journey or
--- says that it is pending; each hook runs, whatever became of those before
function blocks.hooks(block, kind, ...)
  local list = {}
  for _, hook in ipairs(block.hooks[kind] or {}) do
    steps.doing = hook.label
    local good, caught = call(hook, nil, ...)
    if not good then
      steps.noteCut(caught.err)
    end
    steps.doing = nil
    if not good then
      list.verdict = list.verdict or failures.verdict(caught.err)
      if not list.verdict then
        list[#list + 1] = failures.make(caught, hook.label)
      end
    end
  end
  return list
end

--- The hooks of a kind of one block, each as what `runs.finish` brings to its end.
function blocks.endings(block, kind, limit, ...)
  local list, arguments = {}, table.pack(...)
  for _, hook in ipairs(block.hooks[kind] or {}) do
    list[#list + 1] = {
      label = hook.label, limit = limit,
      run = function()
        local good, caught = call(hook, limit, table.unpack(arguments, 1, arguments.n))
        return good and {} or { failures.make(caught, hook.label) }
      end,
    }
  end
  return list
end

--- What a block's body changed of globals and modules when it was read, for `insulate`.
function blocks.changes(before)
  local after = globals.insulate()
  local changes = { values = {}, loaded = {} }
  for _, part in ipairs { "values", "loaded" } do
    for key, value in next, after[part] do
      if not rawequal(before[part][key], value) then
        changes[part][key] = value
      end
    end
  end
  return changes
end

local function insulated(block)
  if block.kind ~= "insulate" then
    return nil
  end
  local saved = globals.insulate()
  for key, value in next, block.changes and block.changes.values or {} do
    rawset(_G, key, value)
  end
  for key, value in next, block.changes and block.changes.loaded or {} do
    package.loaded[key] = value
  end
  return saved
end

--- The teardowns of a block, each as what is brought to its end.
local function teardowns(one, limit)
  local list = one.isLazilySetUp and blocks.endings(one.block, "lazy_teardown", limit) or {}
  return append(list, blocks.endings(one.block, "strict_teardown", limit))
end

--- Puts back what a block changed, when its teardowns have run.
local function close(one)
  if one.block.kind == "expose" then
    -- What an exposed block did to globals stays when the block around it ends.
    for index = #open, 1, -1 do
      if open[index].saved then
        open[index].saved = globals.insulate()
        break
      end
    end
  end
  if one.saved then
    globals.expel(one.saved)
  end
  for _, opened in ipairs(one.pages) do
    runner.leavePages(opened.after, opened.last)
  end
end

--- What comes next when the blocks that are not around the next journey are left, innermost first.
---
---@param path? table[] the blocks to stay in; none for the end of the file
---@param isAgain? boolean whether blocks whose setup failed are left as well, to be tried again
---@return table? ending a teardown to run; nil when the blocks are left
function blocks.following(path, limit, isAgain)
  while #open > 0 do
    local last = open[#open]
    if path and path[#open] == last.block and not ((last.failed or last.soft) and isAgain) then
      return nil
    end
    last.endings = last.endings or teardowns(last, limit)
    local ending = table.remove(last.endings, 1)
    if ending then
      return ending
    end
    open[#open] = nil
    close(last)
  end
end

--- Leaves the blocks that are not around the next journey.
---
---@return table[] list of failures of their teardowns
function blocks.leave(path, limit, isAgain)
  local list = {}
  local ending = blocks.following(path, limit, isAgain)
  while ending do
    steps.doing = ending.label
    append(list, ending.run())
    steps.doing = nil
    ending = blocks.following(path, limit, isAgain)
  end
  return list
end

--- Runs the setups of a kind, and keeps what went wrong for the block's other journeys.
---
--- Kept from the beginning: whoever stops a setup that hangs stops it once.
local function setUp(one, kind)
  one.failed = {
    {
      kind = "hook", code = "timeout", steps = {},
      message = ("%s of '%s' did not end when an earlier journey ran it"):format(
        kind == "lazy_setup" and "lazy_setup" or "the setup", one.block.name or "the file"),
    },
  }
  local count = #failures.kept
  -- What it opens is for all journeys of the block.
  local lifetime = runner.lifetime "file"
  local before = runner.pages()
  local list = blocks.hooks(one.block, kind, context.makeAll(one.block))
  runner.lifetime(lifetime)
  one.pages[#one.pages + 1] = { after = before, last = runner.pages() }
  one.soft = failures.keptAfter(count) or one.soft
  if #list == 0 and not list.verdict then
    one.failed = nil
    return nil
  end
  local first = list[1]
  if not (first and first.code == "cancelled") then
    one.failed = list
  end
  return list
end

--- Enters the blocks of a path that are not entered yet: outermost first, with their setups.
---
--- When a setup failed, it is told for each journey of the block.
---
---@return table[]? list of failures
function blocks.enter(path)
  for index, block in ipairs(path) do
    if open[index] then
      failures.keep(open[index].soft)
      if open[index].failed then
        return open[index].failed
      end
    else
      open[index] = { block = block, saved = insulated(block), pages = {} }
      local list = setUp(open[index], "strict_setup")
      if list then
        return list
      end
    end
  end
  for index = 1, #path do
    local one = open[index]
    if not one.isLazilySetUp then
      one.isLazilySetUp = true
      local list = setUp(one, "lazy_setup")
      if list then
        return list
      end
    end
  end
end

return blocks
