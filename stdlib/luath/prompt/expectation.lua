--- What a journey may expect of a value that was seen at the prompt: itself, or its shape where it
--- changes from run to run.
local expectation = {}

local kinds <const> = require "luath.expect.kinds"
local print <const> = require "luath.expect.print"
local runner <const> = require "luath.runner"

local getmetatable <const>, rawget <const> = debug.getmetatable, rawget

local DEPTH <const> = 4
local ENTRIES <const> = 60
local LONGEST <const> = 200

--- Names of fields whose values are made up anew.
local UIDS <const> = { uid = true, localId = true, user_id = true, sub = true }

local function isMadeUp(text)
  -- Letters of both cases and digits, without any word: identifiers, codes, nonces.
  return #text >= 16 and not text:find "[%s@/.]" and text:find "%d" and text:find "%a"
end

local function string(text, key)
  local isHidden <const> = type(key) == "string" and runner.field(key, text)
  if print.isToken(text) then
    return "expect.any.jwt"
  elseif UIDS[key] or text:find "^%w+$" and #text == 28 then
    return "expect.any.uid"
  elseif text:find "^%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x+$" then
    return "expect.any.uuid"
  elseif text:find "^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d" then
    return "expect.any.timestamp"
  elseif text:find "^person%-%w+@" then
    return "expect.any.email"
  elseif text:find "%d%d:%d%d:%d%d" then
    -- A time as `os.date` tells it.
    return "expect.any.string"
  elseif text:find "%[%d+%]:%d" then
    -- A place in a text of the prompt, which has another one in the journey.
    return "expect.any.string"
  elseif isHidden or #text > LONGEST or text:find "127%.0%.0%.1:%d" or text:find "localhost:%d"
    or text:find "0x%x%x%x%x" or print.clean(text) ~= text or isMadeUp(text)
    or not utf8.len(text) or text:find "%d%d%d%d%d%d%d%d%d" then
    return "expect.any.string"
  end
  return print.text(text), true
end

local function number(value, isComputed)
  if math.type(value) == "integer" then
    local seconds <const> = value > 10 ^ 12 and value // 1000 or value
    if seconds > 10 ^ 9 and seconds < 10 ^ 10 then
      return "expect.any.timestamp"
    end
    return print.text(value), true
  elseif value ~= value or isComputed then
    return "expect.any.number"
  end
  return print.text(value), true
end

local write

local function fields(value, state, depth)
  local texts, length, count = {}, 0, 0
  for _ in next, value do
    count = count + 1
    if count > state.left then
      return nil
    end
  end
  while rawget(value, length + 1) ~= nil do
    length = length + 1
  end
  for _, key in ipairs(print.keys(value)) do
    state.left = state.left - 1
    local kind <const> = type(key)
    if state.left < 0 or kind ~= "string" and kind ~= "number" and kind ~= "boolean" then
      return nil
    end
    local text <const> = write(rawget(value, key), state, depth + 1, key)
    if not text then
      return nil
    end
    local isItem <const> = math.type(key) == "integer" and key >= 1 and key <= length
    texts[#texts + 1] = isItem and text or print.key(key) .. " = " .. text
  end
  return #texts == 0 and "{}" or "{ " .. table.concat(texts, ", ") .. " }"
end

function write(value, state, depth, key)
  local kind <const> = type(value)
  if kind == "nil" or kind == "boolean" then
    return tostring(value), true
  elseif kind == "string" then
    return string(value, key)
  elseif kind == "number" then
    return number(value, state.isComputed)
  elseif kind == "function" then
    return "expect.any.func"
  elseif kind == "userdata" then
    local name <const> = kinds.name(value)
    if type(name) == "string" and name:find "^%u%a+$" then
      return ("expect.any.object %q"):format(name)
    end
    return "expect.any.userdata"
  elseif kind ~= "table" then
    return "expect.any.value"
  end
  local name <const>, meta <const> = kinds.name(value), getmetatable(value)
  -- What luath.auth returns with the fields of an SDK's class is compared field by field.
  local isPlain <const> = meta == nil or rawget(meta, "isRecord")
    or type(name) == "string" and (name:find "^json%." or name == "luath.List")
  if not isPlain or depth >= DEPTH or state.open[value] then
    return "expect.any.table"
  end
  state.open[value] = true
  local text <const> = fields(value, state, depth)
  state.open[value] = nil
  return text or "expect.any.table"
end

--- The source of what to expect of a value; and whether it is the very value.
---
---@param value any
---@param isComputed? boolean whether it came from a call, so that fractions may differ
---@return string source
---@return boolean isExact
function expectation.of(value, isComputed)
  local text <const>, isExact <const> =
    write(value, { open = {}, left = ENTRIES, isComputed = isComputed }, 0)
  return text, isExact or false
end

return expectation
