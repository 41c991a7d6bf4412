--- What a script says of its batch, checked before any row is read.
local definition = {}

local kinds <const> = require "luath.expect.kinds"
local failures <const> = require "luath.journey.failures"
local operations <const> = require "luath.batch.operations"
local planner <const> = require "luath.planner"
local refuse <const> = failures.refuse

local Batch <const> = { __name = "luath.Batch" }

local SETTINGS <const> = {
  plan = "function", key = "function or string", columns = "table", operations = "table",
  arguments = "table", oneAccountPerEmail = "boolean",
}

local STEPS <const> = { run = true, isDone = true, undo = true }

local function checkOperation(name, steps)
  if type(name) ~= "string" or not name:find "^%a[%w_%-]*$" then
    refuse("an operation of batch.define is named by a word, not %s", tostring(name))
  elseif operations.fields[name] then
    refuse("the operation '%s' is luath's own; choose another name", name)
  elseif type(steps) ~= "table" then
    refuse("the operation '%s' of batch.define: a table with run expected, got %s", name,
      type(steps))
  end
  for step, body in pairs(steps) do
    if not STEPS[step] then
      refuse("the operation '%s' has no '%s'; there are run, isDone and undo", name,
        tostring(step))
    elseif type(body) ~= "function" then
      refuse("'%s' of the operation '%s': a function expected, got %s", step, name, type(body))
    end
  end
  if not steps.run then
    refuse("the operation '%s' needs run = function(op, account) … end", name)
  end
end

--- Checks the arguments that every plan needs; only a batch has any.
local function checkArguments(names)
  for key in pairs(names) do
    if not math.tointeger(key) then
      refuse("arguments of batch.define: a list of names expected, such as { \"region\" }, "
        .. "got the key '%s'",
        tostring(key))
    end
  end
  for position, name in ipairs(names) do
    if type(name) ~= "string" then
      refuse("arguments[%d] of batch.define: a name expected, got %s", position, type(name))
    elseif name == "" or name:find "=" then
      refuse("arguments[%d] of batch.define: '%s' is not a name that NAME=VALUE can set",
        position, name)
    elseif planner.isSecretName(name) then
      refuse("the argument '%s' of batch.define would be readable in the plan and its journal; "
        .. "pass secrets in the environment: os.getenv \"NAME\"", name)
    elseif planner.given and not planner.given.args[name] then
      error({
        message = ("the plan needs the argument '%s'"):format(name),
        hint = ("write it at the end of the command: -- %s=VALUE"):format(name),
      }, 0)
    end
  end
end

--- Makes the definition of a batch.
function definition.new(settings)
  if type(settings) ~= "table" then
    refuse("bad argument #1 to 'batch.define' (a table expected, got %s)", type(settings))
  end
  for key, value in pairs(settings) do
    local allowed = SETTINGS[key]
    if not allowed then
      refuse("unknown setting '%s' of batch.define; there are arguments, columns, key, "
        .. "oneAccountPerEmail, operations, plan", tostring(key))
    elseif not kinds.fit(allowed, value) then
      refuse("'%s' of batch.define: %s expected, got %s", key, allowed, type(value))
    end
  end
  if not settings.plan then
    refuse("batch.define needs plan = function(row, accounts) … end")
  end
  for position, column in ipairs(settings.columns or {}) do
    if type(column) ~= "string" then
      refuse("columns[%d] of batch.define: a name expected, got %s", position, type(column))
    end
  end
  checkArguments(settings.arguments or {})
  for name, steps in pairs(settings.operations or {}) do
    checkOperation(name, steps)
  end
  return setmetatable({
    plan = settings.plan, key = settings.key, columns = settings.columns or {},
    operations = settings.operations or {}, oneAccountPerEmail = settings.oneAccountPerEmail,
  }, Batch)
end

--- Whether a value is what `batch.define` gives.
function definition.is(value)
  return debug.getmetatable(value) == Batch
end

return definition
