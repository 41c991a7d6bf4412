--- Values as the prompt shows them: the printer of checks, with more about objects and less of what
--- is long.
local show = {}

local complete <const> = require "luath.prompt.complete"
local print <const> = require "luath.expect.print"
local runner <const> = require "luath.runner"

local error, getmetatable, next, pcall, rawget, select, tostring, type =
  error, debug.getmetatable, next, pcall, rawget, select, tostring, type
local clock <const>, sethook <const> = os.clock, debug.sethook

--- Seconds that a value may take to print, and one that is printed in full.
local LIMIT <const>, WHOLE <const> = 2, 60
local LATE <const> = "it takes too long to show"

--- An error of luath, without the calls that led there: the prompt has shown those.
local function errorFields(value)
  local fields <const> = {}
  for key, member in next, value do
    if key ~= "traceback" then
      fields[key] = member
    end
  end
  return fields
end

--- The words for a value that knows better than its contents what it is; nil for others.
local function describe(value, depth, write)
  local metatable <const> = getmetatable(value)
  if type(metatable) ~= "table" then
    return nil
  end
  local name <const> = rawget(metatable, "__name")
  if type(value) == "userdata" then
    local properties, class = nil, nil
    if depth == 0 then
      properties, class = complete.properties(value)
    end
    if properties and next(properties) ~= nil then
      return class .. " " .. write(properties, depth)
    end
    return nil
  elseif name == "luath.Error" then
    return "error " .. write(errorFields(value), depth)
  elseif rawget(metatable, "__tostring") ~= nil then
    local good <const>, text <const> = pcall(tostring, value)
    return good and text or "<" .. type(value) .. " whose __tostring fails>"
  elseif type(name) == "string" and not name:find "^json%." and not name:find "^luath%." then
    return name .. " " .. write(value, depth, true)
  end
end

--- Calls a function that must not run for longer than some seconds.
local function inTime(limit, f, ...)
  local stop <const> = clock() + limit
  sethook(function()
    if clock() > stop then
      error(LATE, 0)
    end
  end, "", 10000)
  local function finish(good, ...)
    sethook()
    if good then
      return ...
    end
    return "<" .. tostring((...)) .. ">"
  end
  return finish(pcall(f, ...))
end

--- A value as the prompt shows it.
---
---@param value any
---@param columns? integer
---@param isWhole? boolean whether nothing of a long value is left out
---@return string text
---@return boolean isCut whether something was left out
function show.text(value, columns, isWhole)
  local text <const>, isCut <const> = inTime(isWhole and WHOLE or LIMIT, print.shown, value, {
    columns = columns, describe = describe, field = runner.field, isWhole = isWhole,
  })
  return print.clean(text), isCut or false
end

--- The results of an entry, one text for each; and whether something was left out.
---
---@param values table packed
---@param columns? integer
---@param isWhole? boolean
function show.all(values, columns, isWhole)
  local texts <const>, isAnyCut = {}, false
  for index = 1, values.n do
    local isCut
    texts[index], isCut = show.text(values[index], columns, isWhole)
    isAnyCut = isAnyCut or isCut
  end
  return texts, isAnyCut
end

--- A value on one line.
function show.line(value)
  return print.clean((inTime(LIMIT, print.line, value)))
end

--- What `print` prints, without secrets.
function show.printed(...)
  local texts <const> = {}
  for index = 1, select("#", ...) do
    texts[index] = tostring((select(index, ...)))
  end
  return print.clean(table.concat(texts, "\t"))
end

return show
