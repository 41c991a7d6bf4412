--- Whether a function raises, and what.
local raises = {}

local failure <const> = require "luath.expect.failure"
local kinds <const> = require "luath.expect.kinds"
local library <const> = require "luath.expect.library"
local perform <const> = require "luath.expect.perform"
local print <const> = require "luath.expect.print"
local same <const> = require "luath.expect.same"
local words <const> = require "luath.expect.words"

--- Whether an error is the one that is meant, by any of the names that SDKs have for it.
local function fits(raised, wanted)
  for _, alternative in ipairs(same.alternatives(wanted)) do
    if fits(raised, alternative) then
      return true
    end
  end
  if wanted == nil then
    return true
  elseif type(wanted) == "string" or type(wanted) == "number" then
    if type(raised) ~= "table" then
      return false
    end
    return raised.code == wanted
      or raised.webCode == wanted
      or raised.name == wanted
      or raised.rawValue == wanted
  end
  return same.compare(raised, wanted, true)
end

local function inWords(wanted)
  if wanted == nil then
    return "an error"
  elseif type(wanted) == "string" or type(wanted) == "number" then
    return "the error " .. tostring(wanted)
  end
  return "an error like " .. print.text(wanted)
end

--- What was raised, as far as one line can tell.
local function described(raised)
  if type(raised) ~= "table" then
    return type(raised) == "string" and raised or print.line(raised)
  elseif raised.code or raised.message then
    local code <const> = raised.code and tostring(raised.code) .. ": " or ""
    return "the error " .. code .. tostring(raised.message or "")
  end
  return print.line(raised)
end

--- What is to be said of a code that Firebase's errors do not have; nil when it may be another's.
local function advice(wanted, raised)
  for _, alternative in ipairs(same.alternatives(wanted)) do
    local found <const> = advice(alternative, raised)
    if found then
      return found
    end
  end
  if type(wanted) ~= "string" then
    return nil
  end
  local known <const> = require("luath.auth").ErrorCode
  -- Also as the SDKs of the web and of iOS write it.
  local isOther <const> = wanted:find "^auth/" or wanted:find "^ERROR_"
  local plain <const> = wanted:gsub("^auth/", ""):gsub("^ERROR_", ""):gsub("[-_]", "")
  for code in pairs(known) do
    if code == wanted or isOther and code:lower() == plain:lower() then
      return nil
    end
  end
  local nearest <const> = words.nearest(plain, known)
  if #nearest > 0 then
    return ("Auth.ErrorCode has no '%s'; the nearest: %s"):format(wanted,
      table.concat(nearest, ", "))
  elseif not isOther and type(raised) == "table" and raised.webCode then
    return ("Auth.ErrorCode has no '%s'"):format(wanted)
  end
end

local function nothingRaised(wanted, outcome)
  local results <const> = {}
  for index = 2, outcome.n do
    results[index - 1] = print.line(outcome[index], 60)
  end
  local returned <const> = #results > 0 and "; it returned " .. table.concat(results, ", ") or ""
  return {
    message = ("expected %s, but nothing was raised%s"):format(inWords(wanted), returned),
    expected = inWords(wanted),
    actual = "nothing raised" .. returned,
    hint = advice(wanted),
  }
end

local function otherRaised(wanted, raised)
  local fields <const> = {
    message = ("expected %s, got %s"):format(inWords(wanted), described(raised)),
    expected = inWords(wanted),
    actual = described(raised),
  }
  if type(raised) == "table" then
    fields.hint = advice(wanted, raised) or raised.hint
    if type(wanted) == "table" and not same.isPlaceholder(wanted) then
      local seen <const> = {}
      for key in pairs(wanted) do
        seen[key] = same.field(raised, key)
      end
      fields.diff = require("luath.expect.diff").lines(seen, wanted, true)
    end
  elseif type(wanted) == "string" then
    fields.hint = "it has no code: check a text by expect.raises(expect.any.string \"…\", f)"
  end
  return fields
end

--- Calls a function, and gives the error that it must raise.
---
---@param mode table
---@param wanted any a code, a table of fields or a placeholder
---@param f function
---@param ... any arguments of the function
---@return any raised
function raises.check(mode, wanted, f, ...)
  if not kinds.isCallable(f) then
    perform.mistake("raises", 2, "function expected, got %s", type(f))
  end
  local outcome <const> = table.pack(pcall(f, ...))
  local raised <const> = outcome[2]
  if not outcome[1] and failure.is(raised) then
    -- A check inside it failed, which says more.
    if not mode.isSoft then
      error(raised, 0)
    end
    failure.keep(raised)
    return raised
  end
  library.borrow()
  local fields
  if mode.isNegated then
    fields = not outcome[1] and fits(raised, wanted) and {
      message = ("expected no error, got %s"):format(described(raised)),
      expected = "no error",
      actual = described(raised),
      hint = type(raised) == "table" and raised.hint or nil,
    } or nil
  elseif outcome[1] then
    fields = nothingRaised(wanted, outcome)
  elseif not fits(raised, wanted) then
    fields = otherRaised(wanted, raised)
  end
  if fields then
    perform.fail(mode, fields)
  else
    failure.pass()
  end
  library.giveBack()
  if fields or not mode.isNegated then
    return raised
  elseif not outcome[1] then
    error(raised, 0)
  end
  return table.unpack(outcome, 2, outcome.n)
end

return raises
