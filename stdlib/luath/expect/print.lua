--- Puts values into words, as one would write them in Lua: for what a check shows.
local print = {}

local crypto <const> = require "luath.crypto"
local kinds <const> = require "luath.expect.kinds"
local runner <const> = require "luath.runner"

local WIDTH <const> = 76
local DEPTH <const> = 8
local ITEMS <const> = 100
--- How many entries all tables of a value have together.
local ENTRIES <const> = 2000
local BYTES <const> = 2000
--- Limits of a value that is shown in full: Lua's stack would not hold a deeper one.
local ENDLESS <const>, WHOLE_DEPTH <const> = math.maxinteger // 8, 100

local ESCAPES <const> = {
  ["\n"] = "\\n",
  ["\r"] = "\\r",
  ["\t"] = "\\t",
  ["\""] = "\\\"",
  ["\\"] = "\\\\",
}

--- The order in which keys of different types stand.
local RANKS <const> = {
  number = 1,
  boolean = 2,
  string = 3,
  table = 4,
  userdata = 5,
  ["function"] = 6,
  thread = 7,
}

local WORDS <const> = {}
for word in
  ("and break do else elseif end false for function goto if in local nil not or repeat return "
    .. "then true until while"):gmatch "%a+"
do
  WORDS[word] = true
end

local function escape(character)
  return ESCAPES[character] or ("\\x%02X"):format(character:byte())
end

--- A token, without its signature: a check must not spread what signs somebody in.
local function token(text)
  if not text:find "^eyJ[%w_-]+%.[%w_-]+%.[%w_-]*$" or runner.options.showsSecrets then
    return nil
  end
  local good <const>, claims <const> = pcall(crypto.claims, text)
  if not good then
    return nil
  end
  local facts <const> = {}
  for _, name in ipairs { "iss", "aud", "sub", "email", "exp" } do
    if type(claims[name]) == "string" or type(claims[name]) == "number" then
      facts[#facts + 1] = name .. "=" .. tostring(claims[name])
    end
  end
  return ("%s<%s>"):format(runner.label(text) or "eyJ…", table.concat(facts, ", "))
end

--- The text without secrets, before it is cut: the host would not find the half of one.
---
---@param text string
---@return string
function print.clean(text)
  if not utf8.len(text) then
    -- What is no text has its secrets in the parts that are.
    return (text:gsub("[ -~]+", runner.clean))
  end
  return runner.clean(text)
end

--- The label of a text that is a secret as a whole, such as `[password 1]`; nil for other values.
---
---@param value any
---@param name? any of the field that it is in
---@return string?
function print.label(value, name)
  if type(value) ~= "string" or not utf8.len(value) then
    return nil
  end
  return runner.label(value, type(name) == "string" and name or nil)
end

--- Whether a text is a token, of which only the claims are shown.
function print.isToken(text)
  return token(text) ~= nil
end

--- What turns the direction of a text around or acts on a terminal, though it is no ASCII: C1
--- characters, U+061C, U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069.
local MARKS <const> = {
  "\xC2[\x80-\x9F]", "\xD8\x9C", "\xE2\x80[\x8E\x8F\xAA-\xAE]", "\xE2\x81[\xA6-\xA9]",
}

--- A character as an escape of a string.
function print.spelledOut(character)
  return ("\\u{%X}"):format(utf8.codepoint(character))
end

--- A text with the escapes of a string in the place of characters that act on a terminal.
function print.withoutMarks(text)
  if text:find "[\xC2\xD8\xE2]" then
    for _, pattern in ipairs(MARKS) do
      text = text:gsub(pattern, print.spelledOut)
    end
  end
  return text
end

--- A string as source; and whether it is longer than a number of bytes, and shortened.
local function quote(text, bytes)
  local masked <const> = token(text)
  if masked then
    return masked, false
  end
  local rest = ""
  if #text > bytes then
    text = print.clean(text)
  end
  local isCut <const> = #text > bytes
  if isCut then
    local cut = bytes
    while cut > bytes - 4 and (text:byte(cut + 1) or 0) & 0xC0 == 0x80 do
      cut = cut - 1
    end
    text, rest = text:sub(1, cut), (" … (%d bytes)"):format(#text)
  end
  local isText <const> = utf8.len(text)
  text = text:gsub(isText and "[%c\"\\]" or "[%c\"\\\x80-\xFF]", escape)
  return "\"" .. (isText and print.withoutMarks(text) or text) .. "\"" .. rest, isCut
end

local function number(value)
  if math.type(value) == "integer" then
    return ("%d"):format(value)
  elseif value ~= value then
    return "nan"
  elseif value == math.huge then
    return "math.huge"
  elseif value == -math.huge then
    return "-math.huge"
  end
  local text = ("%.14g"):format(value)
  if tonumber(text) ~= value then
    text = ("%.17g"):format(value)
  end
  return text:find "[.e]" and text or text .. ".0"
end

-- Where the library's own functions are means nothing to who reads. Its files may stand in a
-- folder.
local LIBRARY <const> = debug.getinfo(1, "S").source:gsub("luath/expect/print%.lua$", "")

local function named(value)
  local info <const> = debug.getinfo(value, "S")
  if info.what == "C" or info.source:sub(1, #LIBRARY) == LIBRARY then
    return "function (built in)"
  end
  return ("function (%s:%d)"):format(info.short_src, info.linedefined)
end

--- What an object says of itself; an object that fails to say it has its type for a name.
local function own(value)
  local good <const>, text <const> = pcall(tostring, value)
  return good and text or type(value)
end

local function plain(value, bytes)
  local kind <const> = type(value)
  if kind == "string" then
    return quote(value, bytes or BYTES)
  elseif kind == "number" then
    return number(value)
  elseif kind == "function" then
    return named(value)
  end
  return own(value)
end

local function comesFirst(one, other)
  local kind <const>, otherKind <const> = type(one), type(other)
  if kind ~= otherKind then
    return RANKS[kind] < RANKS[otherKind]
  elseif kind == "number" or kind == "string" then
    return one < other
  end
  return own(one) < own(other)
end

--- The keys of a table in the order a reader looks for them.
---
---@param value table
---@param limit? integer no more than these, the first ones
---@return any[] keys
---@return integer count how many there are
function print.keys(value, limit)
  local keys <const>, batch <const> = {}, 4 * (limit or math.maxinteger // 4)
  local count, isFull, last = 0, false, nil
  for key in next, value do
    count = count + 1
    -- Most keys of a huge table are behind the last that counts, and are not sorted.
    if not isFull or comesFirst(key, last) then
      keys[#keys + 1] = key
      if #keys >= batch then
        table.sort(keys, comesFirst)
        for index = #keys, limit + 1, -1 do
          keys[index] = nil
        end
        isFull, last = true, keys[limit]
      end
    end
  end
  table.sort(keys, comesFirst)
  for index = #keys, (limit or #keys) + 1, -1 do
    keys[index] = nil
  end
  return keys, count
end

--- A key as a table constructor has it.
function print.key(key)
  if type(key) == "string" and key:find "^[%a_][%w_]*$" and not WORDS[key] then
    return key
  end
  return "[" .. (plain(key)) .. "]"
end

local function width(text)
  return utf8.len(text, 1, -1, true) or #text
end

--- The entries of a table as texts, items of its list without a key.
local function entries(value, state, depth)
  local texts <const> = {}
  local items <const> = state.items
  local keys <const>, count <const> = print.keys(value, items + 1)
  local length = 0
  while length <= items and rawget(value, length + 1) ~= nil do
    length = length + 1
  end
  for index, key in ipairs(keys) do
    state.left = state.left - 1
    if index > items or state.left < 0 then
      texts[index] = ("… %d more"):format(count - index + 1)
      state.isCut = true
      break
    end
    local isHidden <const> = state.field and type(key) == "string"
      and type(rawget(value, key)) == "string" and state.field(key, rawget(value, key))
    local isItem <const> = math.type(key) == "integer" and key >= 1 and key <= length
    local lead <const> = isItem and "" or print.key(key) .. " = "
    texts[index] = lead .. (isHidden
      and ("\"%s\""):format(print.label(rawget(value, key), key) or "[secret]")
      or state.write(rawget(value, key), depth + 1, false, width(lead)))
  end
  return texts
end

local function join(texts, depth, isNarrow, columns)
  local line <const> = "{ " .. table.concat(texts, ", ") .. " }"
  if isNarrow or (not line:find "\n" and width(line) + 2 * depth <= columns) then
    return line
  end
  local indent <const> = ("  "):rep(depth + 1)
  for index, text in ipairs(texts) do
    texts[index] = indent .. text
  end
  return "{\n" .. table.concat(texts, ",\n") .. ",\n" .. ("  "):rep(depth) .. "}"
end

local function writer(isNarrow, options)
  options = options or {}
  local isWhole <const> = options.isWhole
  local state <const> = {
    open = {}, field = options.field, left = isWhole and ENDLESS or ENTRIES,
    items = isWhole and ENDLESS or ITEMS,
  }
  local deepest <const> = isWhole and WHOLE_DEPTH or DEPTH
  local describe <const>, columns <const> = options.describe, options.columns or WIDTH
  function state.write(value, depth, isPlain, lead)
    local words <const> = describe and not isPlain and not state.open[value]
      and describe(value, depth, state.write)
    if words then
      return words
    elseif type(value) ~= "table" then
      local text <const>, isCut <const> = plain(value, isWhole and ENDLESS)
      state.isCut = state.isCut or isCut
      return text
    end
    if kinds.name(value) == "luath.Placeholder" then
      return own(value)
    elseif next(value) == nil then
      return "{}"
    elseif state.open[value] then
      return "<cycle>"
    elseif depth >= deepest then
      state.isCut = true
      return "{ … }"
    end
    state.open[value] = true
    local texts <const> = entries(value, state, depth)
    state.open[value] = nil
    return join(texts, depth, isNarrow, options.columns and columns - (lead or 0) or columns)
  end
  return state.write, state
end

--- A value in words: on one line if it fits, on several otherwise.
---
---@param value any
---@param depth? integer how deep what is printed stands inside other things
---@return string
function print.text(value, depth)
  return (writer(false)(value, depth or 0))
end

--- A value in words for a person who asked for it.
---
---@param value any
---@param options table `columns`, `describe` (which may know better words for a value), `field`
--- (which is told of each text under a name, and answers whether it is hidden there), `isWhole`
--- (whether nothing of a long value is left out)
---@return string text
---@return boolean isCut whether something was left out
function print.shown(value, options)
  local write <const>, state <const> = writer(false, options)
  local text <const> = write(value, 0)
  return text, state.isCut or false
end

--- A value in words on one line, shortened in its middle.
---
---@param value any
---@param limit? integer columns, 72
---@return string
function print.line(value, limit)
  limit = limit or 72
  local text = (writer(true)(value, 0))
  if width(text) > limit then
    text = print.clean(text)
  end
  if width(text) <= limit then
    return text
  end
  local head <const>, tail <const> = limit - limit // 4 - 3, limit // 4
  if not utf8.len(text) then
    return text:sub(1, head) .. " … " .. text:sub(-tail)
  end
  return text:sub(1, utf8.offset(text, head + 1) - 1) .. " … " .. text:sub(utf8.offset(text, -tail))
end

return print
