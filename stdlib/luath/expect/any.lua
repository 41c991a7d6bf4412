--- Placeholders: what a value is like, where it cannot be given exactly.
---
---     expect.matches(user, { uid = expect.any.uid, email = expect.any.email "contoso.example" })
---
--- Most are values, and called they give a narrower one; called with nothing, themselves.
local any = {}

local crypto <const> = require "luath.crypto"
local kinds <const> = require "luath.expect.kinds"
local perform <const> = require "luath.expect.perform"
local print <const> = require "luath.expect.print"
local same <const> = require "luath.expect.same"

local metatable <const> = { __name = "luath.Placeholder" }

function metatable.__tostring(placeholder)
  return placeholder.words
end

function metatable.__call(placeholder, ...)
  local narrow <const> = placeholder.narrow
  if select("#", ...) == 0 then
    return placeholder
  elseif narrow == nil then
    error(placeholder.words .. " takes no arguments", 2)
  end
  return narrow(...)
end

local function mistake(name, words, ...)
  perform.mistake("any." .. name, 1, words, ...)
end

local function expected(name, kind, value)
  if type(value) ~= kind then
    mistake(name, "%s expected, got %s", kind, value == nil and "no value" or type(value))
  end
end

--- Makes a placeholder.
---
---@param words string what stands for it where it is printed
---@param test fun(value: any): boolean, string? whether a value fits, and why not
---@param narrow? function what makes a narrower one
local function placeholder(words, test, narrow)
  return setmetatable({ words = words, test = test, narrow = narrow }, metatable)
end

local function ofType(name, kind, narrow)
  return placeholder("any." .. name, function(value)
    return type(value) == kind
  end, narrow)
end

--- Refuses options that there are not.
local function check(name, options, known)
  expected(name, "table", options)
  for key, value in pairs(options) do
    if not known[key] then
      mistake(name, "no option '%s'", tostring(key))
    elseif type(value) ~= known[key] then
      mistake(name, "option '%s': %s expected, got %s", key, known[key], type(value))
    end
  end
end

--- Anything but nil.
any.value = placeholder("any.value", function(value)
  return value ~= nil
end)

--- Nothing: that there is no such field.
any.absent = placeholder("any.absent", function(value)
  return value == nil
end)

any.boolean = ofType("boolean", "boolean")
any.func = ofType("func", "function")
any.userdata = ofType("userdata", "userdata")

--- A string; with a Lua pattern, one that has it somewhere.
any.string = ofType("string", "string", function(pattern)
  expected("string", "string", pattern)
  return placeholder(("any.string(%q)"):format(pattern), function(value)
    return perform.find("any.string", value, pattern)
  end)
end)

local function numbers(name, isKind)
  return placeholder("any." .. name, isKind, function(options)
    check(name, options, { min = "number", max = "number" })
    local min <const>, max <const> = options.min or -math.huge, options.max or math.huge
    local words <const> = ("any.%s%s"):format(name, print.line(options))
    return placeholder(words, function(value)
      return isKind(value) and value >= min and value <= max
    end)
  end)
end

--- A number; `any.number { min = 1, max = 9 }` bounds it.
any.number = numbers("number", function(value)
  return type(value) == "number"
end)

--- A number without a fraction, kept as an integer.
any.integer = numbers("integer", function(value)
  return math.type(value) == "integer"
end)

--- A table; with one, a table that has these fields.
any.table = ofType("table", "table", function(fields)
  expected("table", "table", fields)
  return placeholder("any.table" .. print.line(fields), function(value)
    return type(value) == "table" and same.compare(value, fields, true)
  end)
end)

--- A list; with a value or a placeholder, a list of nothing else.
any.list = placeholder("any.list", function(value)
  return type(value) == "table" and (next(value) == nil or #value > 0)
end, function(item)
  return placeholder(("any.list(%s)"):format(print.line(item)), function(value)
    if type(value) ~= "table" then
      return false
    end
    for index, found in ipairs(value) do
      if not same.compare(found, item) then
        return false, ("item %d is %s"):format(index, print.line(found, 40))
      end
    end
    return true
  end)
end)

--- An object of luath of a class, such as `any.object "User"`; errors are of the class "AuthError".
function any.object(class)
  expected("object", "string", class)
  return placeholder(("any.object(%q)"):format(class), function(value)
    if class == "AuthError" and type(value) == "table" then
      return kinds.name(value) == "luath.Error"
    end
    return type(value) == "userdata" and getmetatable(value) == class
  end)
end

--- One of several values.
function any.of(...)
  local values <const> = table.pack(...)
  local words <const> = {}
  for index = 1, values.n do
    words[index] = print.line(values[index], 30)
  end
  local made <const> = placeholder(("any.of(%s)"):format(table.concat(words, ", ")), function(value)
    for index = 1, values.n do
      if same.compare(value, values[index]) then
        return true
      end
    end
    return false
  end)
  made.alternatives = values
  return made
end

--- A value for which a function returns true; `words` are shown for it.
function any.where(test, words)
  expected("where", "function", test)
  return placeholder(words and ("any.where(%s)"):format(words) or "any.where(…)", function(value)
    local good <const>, reason <const> = test(value)
    return good and true or false, type(reason) == "string" and reason or nil
  end)
end

local function texts(name, test, narrow)
  return placeholder("any." .. name, function(value)
    return type(value) == "string" and test(value)
  end, narrow)
end

--- The uid of an account: 1 to 128 characters without blanks.
any.uid = texts("uid", function(value)
  return #value <= 128 and value:find "^%S+$" ~= nil
end)

local function isEmail(value)
  return value:find "^[^%s@]+@[^%s@.][^%s@]*$" ~= nil and not value:find "%.%."
end

--- An e-mail address; with a domain, one of that domain.
any.email = texts("email", isEmail, function(domain)
  expected("email", "string", domain)
  return texts(("email(%q)"):format(domain), function(value)
    return isEmail(value) and value:lower():sub(-#domain - 1) == "@" .. domain:lower()
  end)
end)

--- A web address with scheme and host.
any.url = texts("url", function(value)
  return value:find "^https?://[%w%[][%w.:%-%]_]*[^%s]*$" ~= nil
end)

--- A UUID as RFC 9562 writes it.
any.uuid = texts("uuid", function(value)
  local hex <const> = "%x%x%x%x"
  local form <const> = ("^%s%s-%s-%s-%s-%s%s%s$"):format(hex, hex, hex, hex, hex, hex, hex, hex)
  return value:find((form:gsub("%-", "%%-"))) ~= nil
end)

local function isDate(value)
  local month <const>, day <const>, hour <const>, minute <const>, second <const> =
    value:match "^%d%d%d%d%-(%d%d)%-(%d%d)[Tt ](%d%d):(%d%d):(%d%d)%.?%d*[Zz+-]?[%d:]*$"
  return month ~= nil
    and tonumber(month) >= 1 and tonumber(month) <= 12
    and tonumber(day) >= 1 and tonumber(day) <= 31
    and tonumber(hour) <= 23 and tonumber(minute) <= 59 and tonumber(second) <= 60
end

--- Seconds of the years 2001 to 2286, in which the numbers of milliseconds are another thousand.
local FIRST <const>, LAST <const> = 1e9, 1e10

--- A time: a date of RFC 3339, or seconds or milliseconds since 1970, also as a text of digits.
any.timestamp = placeholder("any.timestamp", function(value)
  if type(value) == "string" and not value:find "^%d+$" then
    return isDate(value)
  end
  local time <const> = (type(value) == "string" or type(value) == "number") and tonumber(value)
  if not time then
    return false
  end
  return (time >= FIRST and time < LAST) or (time >= FIRST * 1000 and time < LAST * 1000)
end)

local function claimsOf(value)
  if type(value) ~= "string" then
    return nil, "it is no string"
  end
  local good <const>, claims <const> = pcall(crypto.claims, value)
  if not good then
    return nil, "it is no JWT"
  end
  return claims
end

--- A JWT; with claims, one that has these. Nothing is verified. `crypto.claims` decodes a JWT.
any.jwt = placeholder("any.jwt", function(value)
  local claims <const>, reason <const> = claimsOf(value)
  return claims ~= nil, reason
end, function(wanted)
  expected("jwt", "table", wanted)
  return placeholder("any.jwt" .. print.line(wanted), function(value)
    local claims <const>, reason <const> = claimsOf(value)
    if not claims then
      return false, reason
    end
    local difference <const> = same.difference(claims, wanted, true)
    if not difference then
      return true
    end
    return false, ("its claim %s is %s"):format(
      same.path(difference.trail):gsub("^%.", ""),
      print.line(difference.actual, 40)
    )
  end)
end)

return setmetatable(any, {
  __index = function(_, name)
    local words <const> = require("luath.expect.words")
    error(words.unknown("placeholder", name, any), 2)
  end,
})
