--- The texts of assertions by key and language, under the names of the Lua module `say`.
local say = { _VERSION = "Say 1.3" }

local languages <const> = {}
local current, fallback

local function known(language)
  languages[language] = languages[language] or {}
  return language
end

--- Sets the language that texts are set and looked for in.
function say.set_namespace(_, language)
  current = known(language)
end

--- Sets the language of what the current one does not have.
function say.set_fallback(_, language)
  fallback = known(language)
end

function say.set(_, key, text)
  languages[current][key] = text
end

say:set_fallback "en"
say:set_namespace "en"
say._registry = languages

local metatable <const> = { __index = languages }

--- The text of a key, with values in place of each `%s`; nil when there is none.
function metatable.__call(_, key, values)
  if values ~= nil and type(values) ~= "table" then
    error(("expected parameter table to be a table, got '%s'"):format(type(values)), 2)
  end
  values = values or {}
  values.n = math.max(values.n or 0, #values)
  local text <const> = languages[current][key] or languages[fallback][key]
  if text == nil then
    return nil
  end
  local parts <const> = {}
  for index = 1, values.n do
    parts[index] = tostring(values[index])
  end
  return #parts > 0 and tostring(text):format(table.unpack(parts)) or tostring(text)
end

return setmetatable(say, metatable)
