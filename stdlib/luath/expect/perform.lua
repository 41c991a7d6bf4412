--- Carries checks out: looks at their arguments, calls them, and reports what they did not find.
local perform = {}

local failure <const> = require "luath.expect.failure"
local library <const> = require "luath.expect.library"
local print <const> = require "luath.expect.print"
local texts <const> = require "luath.expect.texts"

--- How many columns a value may have inside a sentence.
local SHORT <const> = 60

--- Raises what is wrong with the arguments, at the script's call.
function perform.mistake(name, position, words, ...)
  failure.refuse("bad argument #%d to '%s' (%s)", position, name, words:format(...))
end

--- Whether a value is a string that has a Lua pattern; a pattern that is none is a mistake.
function perform.find(name, value, pattern)
  -- Some slips are found out only when the pattern comes that far.
  local text <const> = type(value) == "string" and value or ""
  local good <const>, found <const> = pcall(string.find, text, pattern)
  if not good then
    perform.mistake(name, name == "matches" and 2 or 1, "%s", found)
  end
  return text == value and found ~= nil
end

--- Ends a check that failed: a soft one is kept, another is raised.
---
---@param mode table `isNegated` and `isSoft`
---@param fields table of the failure
---@param message? string the script's own words for what was checked
function perform.fail(mode, fields, message)
  library.borrow()
  if message then
    fields.message = message .. ": " .. fields.message
  end
  local raised <const> = failure.make(fields)
  library.giveBack()
  if not mode.isSoft then
    error(raised, 0)
  end
  failure.keep(raised)
end

local function verify(name, check, ...)
  local count <const> = select("#", ...)
  local values <const> = check.values
  if values and values > 0 and count <= values then
    -- Not nil: `expect.no.equal(value)` without the other value would always pass.
    perform.mistake(name, count + 1, "value expected, got no value; in parentheses, a call that "
      .. "returns nothing is nil")
  elseif values and count > values + 1 then
    local message <const> = select(values + 2, ...)
    if count > values + 2 or (message ~= nil and type(message) ~= "string") then
      local given <const> = count > values + 2 and "more values" or type(message)
      perform.mistake(name, values + 2, "message expected as string, got %s; put a call in "
        .. "parentheses to check its first result only", given)
    end
  end
  if check.verify then
    local reason <const>, position <const> = check.verify(select(2, ...))
    if reason then
      perform.mistake(name, position or 2, "%s", reason)
    end
  end
end

--- What a check of a script's own found, as the fields of a failure.
local function told(name, mode, detail, actual, ...)
  local arguments <const> = {}
  for index = 1, select("#", ...) do
    arguments[index] = print.line((select(index, ...)), SHORT)
  end
  local wanted <const> = #arguments == 0 and name
    or ("%s(%s)"):format(name, table.concat(arguments, ", "))
  local fields <const> = { expected = wanted, actual = print.text(actual) }
  if mode.isNegated then
    fields.expected, detail = "anything but " .. wanted, nil
  end
  if type(detail) == "table" then
    for key, value in pairs(detail) do
      fields[key] = value
    end
    for _, key in ipairs { "expected", "actual" } do
      if detail[key] ~= nil then
        fields[key] = print.text(detail[key])
      end
    end
  elseif detail ~= nil then
    fields.message = tostring(detail)
  end
  fields.message = fields.message
    or ("expected %s, got %s"):format(fields.expected, print.line(actual, SHORT))
  return fields
end

--- A text for the middle of a sentence.
local function shortened(text)
  text = text:gsub("%s*\n%s*", " ")
  if #text > SHORT then
    text = print.clean(text)
  end
  if #text <= SHORT then
    return text
  end
  return text:sub(1, (utf8.offset(text, SHORT) or SHORT) - 1) .. " …"
end

local function found(check, mode, actual, ...)
  local wanted = check.wanted(...)
  local fields <const> = not mode.isNegated and check.explain and check.explain(actual, ...) or {}
  if mode.isNegated then
    wanted = "anything but " .. wanted
  end
  local shown <const> = not mode.isNegated and texts.differ(actual, (...))
  if shown and check.isByContents then
    fields.expected, fields.actual = shown.expected, shown.actual
    fields.hint = fields.hint or shown.hint
    fields.message = fields.message or texts.told(shown)
    if shown.isLong and not fields.diff then
      fields.diff = { "- " .. shown.expected, "+ " .. shown.actual }
    end
    return fields
  end
  fields.expected, fields.actual = wanted, print.text(actual)
  fields.message = fields.message
    or ("expected %s, got %s"):format(shortened(wanted), print.line(actual, SHORT))
  if fields.reason then
    fields.message = fields.message .. ": " .. fields.reason
    fields.reason = nil
  end
  return fields
end

--- Carries out a check; gives what was checked.
---
---@param name string
---@param check table
---@param mode table
---@param ... any what is checked, the values of the check, and a message
---@return any
function perform.check(name, check, mode, ...)
  verify(name, check, ...)
  local good <const>, detail <const> = check.test(...)
  if (good and true or false) == mode.isNegated then
    library.borrow()
    if check.isOwn then
      perform.fail(mode, told(name, mode, detail, ...))
    else
      perform.fail(mode, found(check, mode, ...), (select(check.values + 2, ...)))
    end
  else
    failure.pass()
  end
  return (...)
end

return perform
