--- What could stand behind the cursor, without running anything of the session's own.
local complete = {}

local kinds <const> = require "luath.expect.kinds"
local names <const> = require "luath.prompt.names"
local session <const> = require "luath.prompt.session"

local getinfo <const>, getmetatable <const>, getregistry <const>, getupvalue <const> =
  debug.getinfo, debug.getmetatable, debug.getregistry, debug.getupvalue
local next, pcall, rawget, tostring, type = next, pcall, rawget, tostring, type
local find <const>, loaded <const> = string.find, package.loaded
local G <const> = _G

--- How far values lead to values by `__index`.
local DEPTH <const> = 10
--- More names are no help.
local MOST <const> = 20000
--- More keys are not looked through: the editor waits for 50 milliseconds.
local KEYS <const> = 100000

--- The tables that objects of luath have their members in, by their metatable: methods,
--- properties; nil for others.
local function membersOf(metatable)
  local index <const> = type(metatable) == "table" and rawget(metatable, "__index")
  if type(index) ~= "function" or getinfo(index, "S").what ~= "C" then
    return nil
  end
  local _, methods = getupvalue(index, 2)
  local _, properties = getupvalue(index, 3)
  if type(methods) == "table" and type(properties) == "table" then
    return methods, properties, rawget(metatable, "__name")
  end
end

--- The same for an object.
local function members(value)
  return membersOf(getmetatable(value))
end

local function meta(value)
  local metatable <const> = getmetatable(value)
  return type(metatable) == "table" and rawget(metatable, "__index") or nil
end

--- A field of a value, found without calling any function of the session's.
local function field(value, name)
  if type(value) == "userdata" and members(value) then
    local good <const>, result = pcall(function()
      return value[name]
    end)
    return good and result or nil
  end
  for _ = 1, DEPTH do
    if type(value) == "table" then
      local own <const> = rawget(value, name)
      if own ~= nil then
        return own
      end
    end
    value = meta(value)
    if type(value) ~= "table" then
      return nil
    end
  end
end

--- The value that names lead to.
local function follow(path)
  local variable <const> = session.variables[path[1]]
  local value
  if variable then
    local _, held = getupvalue(variable.owner, variable.index)
    value = held
  else
    value = rawget(G, path[1])
    if value == nil and names.sources[path[1]] then
      value = G[path[1]]
    end
  end
  for position = 2, #path do
    if value == nil then
      return nil
    end
    value = field(value, path[position])
  end
  return value
end

--- The name under which the reference knows a value: of a class or a module.
local function owner(value)
  if type(value) == "userdata" then
    local _, _, name = members(value)
    return name
  elseif type(value) == "table" then
    for name, module in next, loaded do
      if module == value and name ~= "_G" then
        return name
      end
    end
    local name <const> = kinds.name(value)
    if name == "luath.Error" then
      return "AuthError"
    end
    -- Others in lower case, such as `list`, are no classes of the reference.
    return type(name) == "string" and find(name, "^%u") and name or nil
  end
end

local function collect(into, from, prefix, accepts)
  local length <const> = #prefix
  local left = KEYS
  for key, value in next, from do
    left = left - 1
    if left < 0 then
      return
    end
    if type(key) == "string" and key:sub(1, length) == prefix
      and (accepts == nil or accepts(value)) and find(key, "^[%a_][%w_]*$") then
      into[#into + 1] = key
      if #into >= MOST then
        return
      end
    end
  end
end

--- The members of the value that names lead to.
function complete.members(path, isMethod, prefix)
  local value = follow(path)
  local found <const> = {}
  local name <const> = owner(value)
  local methods, properties
  if type(value) == "userdata" then
    methods, properties = members(value)
  end
  if methods then
    collect(found, methods, prefix)
    if not isMethod then
      collect(found, properties, prefix)
    end
    return { names = found, owner = name }
  end
  for _ = 1, DEPTH do
    if type(value) == "table" then
      collect(found, value, prefix, isMethod and kinds.isCallable or nil)
    elseif type(value) ~= "string" and type(value) ~= "userdata" then
      break
    end
    value = meta(value)
    if value == nil then
      break
    end
  end
  return { names = found, owner = name }
end

--- What the reference calls the value that names lead to.
function complete.owner(path)
  return { names = {}, owner = owner(follow(path)) }
end

--- The id of the provider that names lead to.
function complete.provider(path)
  local value <const> = follow(path)
  local id <const> = type(value) == "userdata" and field(value, "providerID")
  return { names = {}, owner = type(id) == "string" and id or nil }
end

--- The session's variables, the globals, and the names it began with.
function complete.names(prefix)
  local found <const> = {}
  collect(found, session.variables, prefix)
  collect(found, G, prefix)
  collect(found, names.sources, prefix)
  return { names = found }
end

local function among(methods, name, value)
  for key, member in next, methods do
    if member == value and type(key) == "string" then
      return name .. ":" .. key
    end
  end
end

--- The name of a method that objects of luath have.
local function nameOfMethod(value)
  -- Every class that there is an object of is in the registry, wherever its objects are.
  for _, metatable in next, getregistry() do
    local methods <const>, _, name = membersOf(metatable)
    local found <const> = methods and among(methods, name, value)
    if found then
      return found
    end
  end
  -- The library's own classes are metatables of their objects.
  local function class(object)
    local name <const> = type(object) == "table" and kinds.name(object)
    return type(name) == "string" and among(getmetatable(object), name, value)
  end
  for _, object in next, G do
    local found <const> = class(object)
    if found then
      return found
    end
  end
  for _, variable in next, session.variables do
    local _, object = getupvalue(variable.owner, variable.index)
    local found <const> = class(object)
    if found then
      return found
    end
  end
end

--- What the reference calls a value: the name of a module, class, function (which may be a table
--- that is called) or method; nil when it has none.
function complete.nameOf(value)
  local own <const> = owner(value)
  if own then
    return own
  elseif type(value) ~= "function" and type(value) ~= "table" then
    return nil
  end
  for name, module in next, loaded do
    if type(module) == "table" and type(name) == "string" and find(name, "^luath") then
      for key, member in next, module do
        if member == value then
          return name .. "." .. tostring(key)
        end
      end
    end
  end
  return nameOfMethod(value)
end

--- What the reference calls what a path of names leads to; nil when it leads nowhere.
function complete.explained(path)
  local value <const> = follow(path)
  local name <const> = value ~= nil and complete.nameOf(value)
  if name or #path < 2 then
    return name or nil
  end
  local last <const> = path[#path]
  local held <const> = owner(follow { table.unpack(path, 1, #path - 1) })
  return held and held .. "." .. last
end

--- What the session itself has under a path of names: what kind of variable, and its value; nil
--- when it has nothing there, or only what it began with.
function complete.own(path)
  local variable <const> = session.variables[path[1]]
  local value <const> = follow(path)
  local isOwn <const> = variable or rawget(G, path[1]) ~= nil and not names.began[path[1]]
  if not isOwn or value == nil and #path > 1 then
    return nil
  elseif #path > 1 then
    return "a field of this session's " .. path[1], value
  elseif variable then
    return variable.isConstant and "a constant of this session" or "a variable of this session",
      value
  end
  return "a global of this session", value
end

--- The same as a completion asks for it.
function complete.called(path)
  return { names = {}, owner = complete.explained(path) }
end

--- The properties of an object of luath with what they hold; nil for other values.
function complete.properties(object)
  local _, properties, name = members(object)
  if not properties then
    return nil
  end
  local held <const> = {}
  for key in next, properties do
    held[key] = field(object, key)
  end
  return held, name
end

return complete
