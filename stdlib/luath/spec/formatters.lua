--- How assertions print values, in luassert's form.
local formatters = {}

local assert <const> = require "luath.spec.engine"
local match <const> = require "luath.spec.match"
local util <const> = require "luath.spec.util"

--- The order of keys of different types.
local RANKS <const> = {
  number = 1,
  boolean = 2,
  string = 3,
  table = 4,
  ["function"] = 5,
  userdata = 6,
  thread = 7,
}

--- A number to its last digit; anything else as it calls itself.
local function precise(value)
  if type(value) ~= "number" then
    return tostring(value)
  elseif value ~= value then
    return "NaN"
  elseif value == math.huge or value == -math.huge then
    return value > 0 and "Inf" or "-Inf"
  end
  local text <const> = ("%.20g"):format(value)
  if math.type(value) == "float" and not text:find "[%.,]" then
    return (text:gsub("%d+", "%0.0", 1))
  end
  return text
end

local function sortedKeys(value)
  local keys <const> = {}
  for key in pairs(value) do
    keys[#keys + 1] = key
  end
  local length <const> = #value
  local function rank(key)
    local isItem <const> =
      type(key) == "number" and key >= 1 and key <= length and math.floor(key) == key
    return isItem and 0 or RANKS[type(key)]
  end
  table.sort(keys, function(one, other)
    local first <const>, second <const> = rank(one), rank(other)
    if first ~= second then
      return first < second
    elseif type(one) == "string" or type(one) == "number" then
      return one < other
    end
    return type(one) == "boolean" and one and not other
  end)
  return keys
end

--- The address of a table, whatever its metatable says of it.
local function identity(value)
  local metatable <const> = getmetatable(value)
  if metatable == nil then
    return tostring(value)
  elseif not pcall(setmetatable, value, metatable) then
    return "table"
  end
  setmetatable(value, nil)
  local text <const> = tostring(value)
  setmetatable(value, metatable)
  return text
end

--- Prints the levels of one table; a trail leads to where it differs from another.
local function contents(value, trail)
  local deepest <const> = assert:get_parameter "TableFormatLevel"
  local showsCircles <const> = assert:get_parameter "TableFormatShowRecursion"
  local mark <const> = assert:get_parameter "TableErrorHighlightCharacter" or ""
  local open <const> = {}
  local function write(level, depth, isOnTrail)
    if showsCircles and open[level] then
      return "{ ... recursive }"
    elseif next(level) == nil then
      return "{ }"
    elseif depth > deepest and deepest >= 0 then
      return "{ ... more }"
    end
    open[level] = (open[level] or 0) + 1
    local crumb <const> = trail[#trail - depth + 1]
    local lines <const> = { "{" }
    for _, key in ipairs(sortedKeys(level)) do
      local field = level[key]
      local isHere <const> = isOnTrail and key == crumb
      if type(field) == "table" then
        field = write(field, depth + 1, isHere)
      elseif type(field) == "string" then
        field = "'" .. field .. "'"
      end
      local sign <const> = isHere and mark or ""
      local indent <const> = (" "):rep(depth * 2 - #sign)
      lines[#lines + 1] =
        ("%s%s[%s] = %s"):format(indent, sign, precise(key), precise(field))
    end
    open[level] = open[level] > 1 and open[level] - 1 or nil
    return table.concat(lines, "\n") .. " }"
  end
  return write(value, 1, true)
end

--- By type: what prints it. The last that is registered is asked first.
local plain <const> = {
  string = function(value)
    return ("(string) '%s'"):format(value)
  end,
  number = function(value)
    return ("(number) %s"):format(precise(value))
  end,
  boolean = function(value)
    return ("(boolean) %s"):format(value)
  end,
  ["nil"] = function()
    return "(nil)"
  end,
  table = function(value, options)
    local trail <const> = options and options.crumbs or {}
    return ("(%s) %s"):format(identity(value), contents(value, trail))
  end,
  ["function"] = function(value)
    local info <const> = debug.getinfo(value, "S")
    return ("%s @ line %s in %s"):format(tostring(value), info.linedefined, info.source)
  end,
  userdata = function(value)
    return ("(userdata) '%s'"):format(tostring(value))
  end,
  thread = function(value)
    return ("(thread) '%s'"):format(tostring(value))
  end,
}

assert:add_formatter(function(value, options)
  return plain[type(value)](value, options)
end)

local function list(values)
  local texts <const> = {}
  for index = 1, values.n do
    texts[index] = assert:format({ values[index], n = 1 })[1]
  end
  return table.concat(texts, ", ")
end

assert:add_formatter(function(value)
  if match.is_matcher(value) then
    local word <const> = value.mod and "is" or "no"
    return ("(matcher) %s.%s(%s)"):format(word, tostring(value.name), list(value.arguments))
  end
  return nil
end)

assert:add_formatter(function(value)
  return util.is_arglist(value) and ("(values list) (%s)"):format(list(value)) or nil
end)

assert:set_parameter("TableFormatLevel", 3)
assert:set_parameter("TableFormatShowRecursion", false)
assert:set_parameter("TableErrorHighlightCharacter", "*")
assert:set_parameter("TableErrorHighlightColor", "none")

--- Prints a string byte by byte; who wants it adds it as a formatter.
function formatters.binary(value)
  if type(value) ~= "string" then
    return nil
  end
  local lines <const> = { ("Binary string length; %d bytes"):format(#value) }
  for first = 1, #value, 16 do
    local part <const> = value:sub(first, first + 15)
    local hex <const> = part:gsub(".", function(character)
      return ("%2x "):format(character:byte())
    end)
    local padded <const> = hex .. (" "):rep(48 - #hex)
    local shown <const> = part:gsub("%c", ".") .. (" "):rep(16 - #part)
    lines[#lines + 1] = ("%s  %s %s %s"):format(
      padded:sub(1, 24),
      padded:sub(25),
      shown:sub(1, 8),
      shown:sub(9)
    )
  end
  return table.concat(lines, "\n") .. "\n"
end

return formatters
