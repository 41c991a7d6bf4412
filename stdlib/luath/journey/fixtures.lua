--- Fixtures: what journeys need, made when first asked for and taken down for certain.
local fixtures = {}

local library <const> = require "luath.expect.library"
local runner <const> = require "luath.runner"
local task <const> = require "luath.task"
local failures <const> = require "luath.journey.failures"
local pool <const> = require "luath.journey.pool"
local steps <const> = require "luath.journey.steps"
local refuse <const> = failures.refuse

--- From narrow to wide; a fixture may use those of its own scope and wider ones.
local WIDTH <const> = { journey = 1, file = 2, run = 3 }

local Fixture <const> = { __name = "Fixture" }

function Fixture.__tostring(self)
  return ("fixture '%s'"):format(self.name)
end

local known = {}
--- The fixtures that every journey of the file uses, in the order of their declarations.
fixtures.automatic = {}

--- Forgets the fixtures of an earlier file.
function fixtures.begin()
  known, fixtures.automatic = {}, {}
end

--- Declares a fixture.
function fixtures.declare(name, options, build)
  local scope = options.scope or "journey"
  if not WIDTH[scope] then
    refuse("a fixture's scope is \"journey\", \"file\" or \"run\", not %q", tostring(scope))
  elseif known[name] then
    refuse("there are two fixtures named '%s'", name)
  end
  local made = setmetatable({
    name = name, scope = scope, build = build, timeout = options.timeout,
  }, Fixture)
  known[name] = made
  if options.automatic then
    table.insert(fixtures.automatic, made)
  end
  return made
end

--- Finds a fixture by itself or its name.
local function find(which)
  if debug.getmetatable(which) == Fixture then
    return which
  end
  local found = known[which]
  if not found then
    refuse("there is no fixture '%s'", tostring(which))
  end
  return found
end

--- What is made, and how it is taken down, for as long as a journey, a file or the run lasts.
local Scope <const> = { __name = "FixtureScope" }
Scope.__index = Scope

--- A scope; `outer` is the next wider one.
function fixtures.scope(name, outer, context)
  return setmetatable({
    name = name, outer = outer, made = {}, endings = {}, keys = {}, context = context,
  }, Scope)
end

--- Has a function run when the scope ends, newest first.
function Scope:defer(ending, label, timeout)
  table.insert(self.endings, { run = ending, label = label, timeout = timeout })
end

--- The scope of this name, here or further out.
function Scope:named(name)
  local one = self
  while one and one.name ~= name do
    one = one.outer
  end
  return one
end

--- Runs a fixture's function, within its time; gives what `xpcall` gives.
local function within(fixture, run)
  steps.doing = tostring(fixture)
  if not fixture.timeout then
    return table.pack(failures.call(run))
  end
  local results = table.pack(failures.timed(fixture.timeout, run))
  local caught = results[2]
  if not results[1] and not caught.isOwn then
    caught.err = {
      code = "timeout", message = ("%s did not end within %g seconds"):format(tostring(fixture),
        fixture.timeout),
      hint = "allow it more time with { timeout = … }, or look for what it waits for",
    }
  end
  return results
end

--- Which fixture each coroutine is making.
local making = setmetatable({}, { __mode = "k" })

--- The fixture that the caller is making; nil outside of fixtures.
function fixtures.making()
  return making[coroutine.running()]
end

local function build(scope, fixture)
  local by = coroutine.running()
  local around = making[by]
  local made = { isMaking = true, heardBy = failures.kept }
  scope.made[fixture] = made
  local outer, count = steps.doing, failures.kept and #failures.kept
  local lifetime = runner.lifetime(scope.name == "journey" and "hooks" or scope.name)
  local results = within(fixture, function()
    -- A time limit runs this in a coroutine of its own.
    made.by = coroutine.running()
    making[made.by] = fixture
    return fixture.build(scope.context(fixture))
  end)
  making[by] = around
  runner.lifetime(lifetime)
  if not results[1] then
    steps.noteCut(results[2].err)
  end
  steps.doing = outer
  made.isMaking = false
  made.soft = failures.keptAfter(count)
  for _, failure in ipairs(made.soft or {}) do
    failure.message = failures.within(fixture, failure.message)
  end
  library.giveBack()
  if not results[1] then
    made.hasFailed, made.err = true, failures.within(fixture, results[2].err)
    if made.err ~= nil and not failures.frames[made.err] then
      failures.frames[made.err] = results[2].frame
    end
    error(made.err, 0)
  end
  made.value = results[2]
  return made.value
end

--- What a fixture of the run is known by in all files: its name, and where its function is.
local function key(fixture)
  local info = debug.getinfo(fixture.build, "S")
  return ("fixture %s of %s:%d"):format(fixture.name, info.source, info.linedefined)
end

--- Puts what became of a fixture where the other files find it.
local function share(fixture, name, entry, made)
  local good, err = pcall(runner.release, name, entry)
  if good then
    return
  end
  local message = ("%s: a fixture of the run can only be data: %s"):format(tostring(fixture),
    type(err) == "table" and err.message or tostring(err):gsub("^[^ ]-:%d+: ", ""))
  made.hasFailed, made.err = true, message
  runner.release(name, { failure = { message = message } })
  error(message, 0)
end

--- The data of a fixture of the run, for one who may change it.
local function copy(value)
  if type(value) ~= "table" then
    return value
  end
  local made = {}
  for key, field in next, value do
    made[key] = copy(field)
  end
  return made
end

--- The value of a fixture of the run: made here when no file of the run has made it.
local function shared(scope, fixture)
  local name = key(fixture)
  local entry = pool.claim(name)
  if entry then
    runner.release(name, entry)
    scope.made[fixture] = { hasFailed = entry.failure ~= nil, err = entry.failure,
      value = entry.value, soft = entry.soft }
    return scope:use(fixture)
  end
  scope.keys[#scope.keys + 1] = name
  local good, value = pcall(build, scope, fixture)
  if good then
    local made = scope.made[fixture]
    share(fixture, name, { value = value, soft = made.soft }, made)
    return copy(value)
  end
  local err = type(value) == "table" and value or { message = tostring(value) }
  runner.release(name, { failure = {
    message = tostring(err.message or err), code = err.code, hint = err.hint,
  } })
  error(value, 0)
end

--- The value of a fixture, made when it is not there yet.
function Scope:use(which)
  local fixture = find(which)
  local scope = self:named(fixture.scope)
  if not scope then
    refuse("a fixture of the %s cannot use '%s', which is of the %s", self.name, fixture.name,
      fixture.scope)
  end
  local made = scope.made[fixture]
  if not made then
    return (fixture.scope == "run" and shared or build)(scope, fixture)
  end
  while made.isMaking do
    if made.by == coroutine.running() then
      refuse "the fixture uses itself"
    end
    task.sleep(0)
  end
  if made.soft and failures.kept and made.heardBy ~= failures.kept then
    -- Each journey fails that uses what was not as it should be.
    made.heardBy = failures.kept
    failures.keep(made.soft)
  end
  if made.hasFailed then
    -- The next use raises the same: it is not made a second time.
    error(failures.within(fixture, made.err), 0)
  end
  return fixture.scope == "run" and copy(made.value) or made.value
end

--- Forgets what was being made when its journey was stopped; it is made anew.
function Scope:settle()
  for fixture, made in pairs(self.made) do
    if made.isMaking then
      self.made[fixture] = nil
    end
  end
end

--- The newest of what was deferred, taken out, as something to bring to its end.
function Scope:following(limit)
  local ending = table.remove(self.endings)
  if not ending then
    return nil
  end
  limit = ending.timeout or limit
  return {
    label = ending.label, limit = limit,
    run = function()
      local good, caught = failures.timed(limit, ending.run)
      return good and {} or { failures.make(caught, ending.label) }
    end,
  }
end

--- Ends the scope: runs all that was deferred, newest first, whatever fails.
---
--- May be called again when it was stopped in the middle, and goes on with the rest.
---
---@param limit number seconds for each
---@return table[] list of failures
function Scope:finish(limit)
  local list = {}
  while #self.endings > 0 do
    failures.append(list, self:following(limit).run())
  end
  for _, name in ipairs(self.keys) do
    if runner.claim(name) then
      runner.release(name)
    end
  end
  self.made, self.keys = {}, {}
  return list
end

return fixtures
