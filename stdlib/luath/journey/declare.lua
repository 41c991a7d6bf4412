--- Declaring journeys: their options, and one for each row of a table or file.
local declare = {}

local kinds <const> = require "luath.expect.kinds"
local words <const> = require "luath.expect.words"
local environment <const> = require "luath.journey.environment"
local failures <const> = require "luath.journey.failures"
local rows <const> = require "luath.journey.rows"
local tree <const> = require "luath.journey.tree"
local refuse <const> = failures.refuse

--- The options of a journey, and what each must be.
local OPTIONS <const> = {
  tags = "table", timeout = "number", retries = "integer", skip = "boolean or string",
  only = "boolean", pending = "boolean or string", each = "table or string", weight = "integer",
}

--- Those of `journey.configure`.
local CONFIGURATION <const> = {
  tags = "table", timeout = "number", retries = "integer", parallel = "boolean", project = "string",
}

--- In seconds, as for `--timeout`.
local YEAR <const> = 31536000

--- Refuses options that are unknown or of another kind.
function declare.check(name, options, known)
  for key, value in pairs(options) do
    local allowed = known[key]
    if not allowed then
      refuse("unknown option '%s' of %s; there are %s", tostring(key), name,
        table.concat(words.sorted(known), ", "))
    elseif not kinds.fit(allowed, value) then
      refuse("option '%s' of %s: %s expected, got %s", key, name, allowed,
        math.type(value) or type(value))
    elseif key == "timeout" and not (value > 0 and value <= YEAR) then
      refuse("option 'timeout' of %s: more than 0 seconds and at most a year expected, got %s",
        name, value)
    elseif key == "weight" and (value < 1 or value > 1000) then
      refuse("option 'weight' of %s: from 1 to 1000 expected, got %d", name, value)
    elseif key == "retries" and value < 0 then
      refuse("option 'retries' of %s: 0 or more expected", name)
    elseif key == "project" and value ~= "journey" and value ~= "file" then
      refuse("option 'project' of %s: 'journey' or 'file' expected, got '%s'", name, value)
    end
  end
  for _, tag in ipairs(options.tags or {}) do
    if type(tag) ~= "string" or not tag:find "^[%w_%-%.:\128-\255]+$" then
      refuse("a tag of %s: letters, digits, '-', '_', '.' and ':' expected", name)
    end
  end
end

local function state(options)
  if options.skip then
    return "skip", type(options.skip) == "string" and options.skip or nil
  elseif options.pending then
    return "pending", type(options.pending) == "string" and options.pending or nil
  elseif options.only then
    return "only"
  end
end

local function add(name, options, body, row, file, line)
  local test = {
    kind = "journey", name = name, body = body, row = row, tags = options.tags,
    timeout = options.timeout, retries = options.retries, weight = options.weight, file = file,
    line = line,
  }
  test.state, test.reason = state(options)
  tree.addTest(test)
end

--- Declares a journey, or one for each row.
function declare.journey(name, options, body)
  if type(options) == "function" and body == nil then
    options, body = {}, options
  end
  options = options or {}
  if type(name) ~= "string" or name == "" then
    refuse("bad argument #1 to 'journey' (a name expected, got %s)",
      name == "" and "an empty text" or type(name))
  elseif type(options) ~= "table" then
    refuse("bad argument #2 to 'journey' (options or a function expected, got %s)", type(options))
  elseif body == nil and not options.pending then
    refuse("journey '%s' has no function; write pending = true if it comes later", name)
  elseif body ~= nil and type(body) ~= "function" then
    refuse("bad argument #3 to 'journey' (a function expected, got %s)", type(body))
  end
  if not tree.root then
    refuse("journeys are run by luath test: luath test FILE")
  elseif not tree.current or not tree.current.isBlock then
    refuse("journey '%s' is declared within a journey or hook; declare it beside", name)
  end
  declare.check(("journey '%s'"):format(name), options, OPTIONS)
  environment.notice()
  local _, file, line = failures.place(2)
  if not options.each then
    return add(name, options, body, nil, file, line)
  end
  local list = rows.read(options.each, file)
  local names = rows.names(name, list)
  for index, row in ipairs(list) do
    add(names[index], options, body, row, file, line)
  end
end

--- Refuses settings that are no table, and calls inside of blocks and journeys.
local function checkPlace(name, settings)
  if not tree.root then
    refuse("journeys are run by luath test: luath test FILE")
  elseif type(settings) ~= "table" then
    refuse("bad argument #1 to '%s' (a table expected, got %s)", name, type(settings))
  elseif tree.current ~= tree.root then
    refuse("%s applies to a file: call it outside of blocks and journeys", name)
  end
end

--- A setting of `load` as a list of texts, as the command line has it.
local function texts(key, value)
  local list <const> = {}
  for index, one in ipairs(type(value) == "table" and value or { value }) do
    local kind <const> = type(one)
    if kind ~= "string" and kind ~= "number" and kind ~= "boolean" then
      list[1] = nil
      break
    end
    list[index] = tostring(one)
  end
  if #list == 0 then
    refuse("setting '%s' of journey.load: a string, a number or a list of them expected, got %s",
      key, type(value))
  end
  return list
end

--- Settings of a load run; the runner checks their names and values.
function declare.load(settings)
  checkPlace("load", settings)
  local values <const> = {}
  for key, value in pairs(settings) do
    values[tostring(key)] = texts(tostring(key), value)
  end
  local _, file, line = failures.place(2)
  tree.load = { values = values, file = file, line = line }
end

--- Settings for all journeys of the file.
function declare.configure(settings)
  checkPlace("configure", settings)
  declare.check("journey.configure", settings, CONFIGURATION)
  for key, value in pairs(settings) do
    tree.configuration[key] = value
  end
end

return declare
