--- Journeys: sign-in stories that `luath test` runs and reports.
---
---     local journey = require "luath.journey"
---     local expect = require "luath.expect"
---
---     journey("a new customer signs up", { tags = { "password" } }, function(j)
---       local ada = j.users:new()
---       j:step("she makes an account", function()
---         expect.equal(ada:createAccount().email, ada.email)
---       end)
---     end)
local declare <const> = require "luath.journey.declare"
local failures <const> = require "luath.journey.failures"
local environment <const> = require "luath.journey.environment"
local fixtures <const> = require "luath.journey.fixtures"
local tree <const> = require "luath.journey.tree"
local words <const> = require "luath.journey.words"
local refuse <const> = failures.refuse

local journey = {}

--- Adds an option to those of a call that may have none.
local function with(key, value, options, body)
  if type(options) == "function" and body == nil then
    options, body = {}, options
  end
  local more = {}
  for name, one in pairs(options or {}) do
    more[name] = one
  end
  more[key] = value
  return more, body
end

--- Declares a journey that is not run, and shown as skipped.
---
---@param name string
---@param options? table
---@param body function
function journey.skip(name, options, body)
  options, body = with("skip", type(options) == "table" and options.skip or true, options, body)
  declare.journey(name, options, body)
end

--- Declares a journey beside which all that are not declared so are left out.
---
---@param name string
---@param options? table
---@param body function
function journey.only(name, options, body)
  options, body = with("only", true, options, body)
  declare.journey(name, options, body)
end

--- Declares a journey that is still to be written.
---
---@param name string
---@param options? table
---@param body? function
function journey.pending(name, options, body)
  options, body = with("pending", true, options, body)
  declare.journey(name, options, body)
end

--- Settings for all journeys of the file, at its top: `parallel`, `project`, `tags`, `timeout`,
--- `retries`.
---
---@param settings table
function journey.configure(settings)
  declare.configure(settings)
end

--- Settings of `luath load` for the journeys of the file, at its top: `vus`, `duration`, `rate`,
--- `stages`, `thresholds` and more. Options of the command line win.
---
---@param settings table
function journey.load(settings)
  declare.load(settings)
end

--- Declares a fixture: what journeys need, made when first asked for and taken down at the end.
---
---     local browser = journey.fixture("browser", { scope = "file" }, function(f)
---       local page = webdriver.open()
---       f:defer(function() page:close() end)
---       return page
---     end)
---
---@param name string
---@param options? table `scope` ("journey", "file", "run"), `timeout` (seconds), `automatic`
---@param build function makes the value; may wait, may fail
---@return table fixture for `j:use`
function journey.fixture(name, options, build)
  if type(options) == "function" and build == nil then
    options, build = {}, options
  end
  if type(name) ~= "string" then
    refuse("bad argument #1 to 'fixture' (a name expected, got %s)", type(name))
  elseif type(build) ~= "function" then
    refuse("bad argument to 'fixture' (a function expected, got %s)", type(build))
  end
  declare.check(("fixture '%s'"):format(name), options or {}, {
    scope = "string", timeout = "number", automatic = "boolean",
  })
  return fixtures.declare(name, options or {}, build)
end

--- Puts the journeys that a function declares into a block with a name, hooks and tags of its own.
---
---@param name string
---@param options? table `tags`
---@param body function
function journey.group(name, options, body)
  return environment.words.describe(name, options, body)
end

for name, kind in pairs {
  beforeEach = "before_each", afterEach = "after_each",
  beforeAll = "strict_setup", afterAll = "strict_teardown",
} do
  local declareHook <const> = words.hookWord(name, kind)
  journey[name] = function(body)
    if not tree.root then
      refuse("journeys are run by luath test: luath test FILE")
    end
    return declareHook(body)
  end
end

journey.finally = words.finally

return setmetatable(journey, {
  __call = function(_, name, options, body)
    declare.journey(name, options, body)
  end,
  __index = function(_, key)
    refuse("luath.journey has no '%s'", tostring(key))
  end,
})
