--- The names that a session begins with: luath's modules and shortcuts, made when first used, and
--- what only a prompt has.
local names = {}

local error, getmetatable, io, rawget, rawset, require, select, setmetatable, table, type =
  error, debug.getmetatable, io, rawget, rawset, require, select, setmetatable, table, type
local rawequal <const>, running <const> = rawequal, coroutine.running
local getinfo <const> = debug.getinfo
local G <const> = _G

-- The library's own places mean nothing to who types. Its files may stand in a folder.
local LIBRARY <const> = getinfo(1, "S").source:gsub("luath/prompt/names%.lua$", "")

--- Raises an error at the line that called, unless that is the library's own, as behind a tail
--- call.
local function fail(message)
  local caller <const> = getinfo(3, "S")
  local isOwn <const> = not caller or caller.source:sub(1, #LIBRARY) == LIBRARY
  error(message, isOwn and 0 or 3)
end

local MODULES <const> = {
  Auth = "luath.auth", actor = "luath.actor", admin = "luath.admin", crypto = "luath.crypto",
  emulator = "luath.emulator", expect = "luath.expect", host = "luath.host", http = "luath.http",
  json = "luath.json", luath = "luath", merge = "luath.merge", oidc = "luath.oidc",
  process = "luath.process", server = "luath.server",
  task = "luath.task", totp = "luath.totp", ui = "luath.ui", webdriver = "luath.webdriver",
}

--- The names with what scripts write for them.
names.sources = {
  auth = "require(\"luath.auth\").auth()",
  provider = "require(\"luath.auth\").OAuthProvider",
}
for name, module in next, MODULES do
  names.sources[name] = ("require %q"):format(module)
end

local function make(name)
  if name == "auth" then
    return require "luath.auth".auth()
  elseif name == "provider" then
    return require "luath.auth".OAuthProvider
  end
  return MODULES[name] and require(MODULES[name])
end

--- Globals that there were before the first text, `_` and the like.
names.began = { _ = true, _err = true }

--- What the session keeps in them.
local KEPT <const> = {
  _ = "the last result of this session", _err = "the last error of this session",
}

--- What only a prompt has.
local own <const> = {}

--- Explains a function, a class, a module or a name.
function own.help(value)
  local host <const> = require "luath.prompt.host"
  if value == nil then
    return host.help ""
  elseif type(value) == "string" then
    return host.help(value)
  end
  local name <const> = require "luath.prompt.complete".nameOf(value)
  if not name then
    fail(("nothing is known about this %s; help \"NAME\" explains a name"):format(type(value)))
  end
  host.help(name)
end

--- Searches the reference for words.
function own.apropos(words)
  if type(words) ~= "string" then
    fail(("bad argument #1 to 'apropos' (string expected, got %s)"):format(type(words)))
  end
  require "luath.prompt.host".apropos(words)
end

--- Prints a secret, which the prompt does not print otherwise.
---@secret text
function own.reveal(text)
  if type(text) ~= "string" then
    fail(("bad argument #1 to 'reveal' (string expected, got %s)"):format(type(text)))
  end
  local host <const> = require "luath.prompt.host"
  host.note "warning: a secret follows; it stays on the screen and in recordings of it\n"
  host.write(text .. "\n")
end

--- The coroutine of the current entry.
names.thread = nil

--- What records the output of a paused journey: `print` and `write`; nil where nothing does.
local recorder

--- Records what tasks of a paused journey print, and not what entries do.
local function record(name, ...)
  if recorder and running() ~= names.thread then
    recorder[name](...)
  end
end

--- Prints as Lua does, without what is known to be secret.
function own.print(...)
  record("print", ...)
  require "luath.prompt.host".write(require "luath.prompt.show".printed(...) .. "\n")
end

--- Whether `write` takes all of these values.
local function passes(...)
  for index = 1, select("#", ...) do
    local kind <const> = type((select(index, ...)))
    if kind ~= "string" and kind ~= "number" then
      return false
    end
  end
  return true
end

--- Has `io.write` go past the text that is being typed; returns what it was.
local function shareWrite()
  local write <const>, stdout <const> = io.write, io.stdout
  local host <const> = require "luath.prompt.host"
  function io.write(...)
    if io.output() ~= stdout or not passes(...) then
      return write(...)
    end
    record("write", ...)
    host.write(table.concat({ ... }))
    return stdout
  end
  return write
end

--- Has what scripts write to the terminal go past the text that is being typed.
local function share()
  local host <const> = require "luath.prompt.host"
  local stdout <const> = io.stdout
  local methods <const> = getmetatable(stdout).__index
  local method <const> = methods.write

  function methods.write(file, ...)
    if file ~= stdout or not passes(...) then
      return method(file, ...)
    end
    host.write(table.concat({ ... }))
    return file
  end
  shareWrite()
end

--- Has the names made when they are first read.
---
---@param isShared boolean whether somebody types beside what is printed
---@param isPause? boolean whether a script goes on afterwards, which finds everything as it was
function names.install(isShared, isPause)
  local metatable <const> = getmetatable(G) or {}
  local added <const>, hidden <const> = {}, {}
  local before <const> = { meta = getmetatable(G), index = rawget(metatable, "__index") }
  function metatable.__index(_, name)
    local value <const> = make(name)
    if value ~= nil then
      added[name] = value
      rawset(G, name, value)
    end
    return value
  end
  setmetatable(G, metatable)
  local isRecorded <const> = isPause and require "luath.runner".isRunning
  local write <const> = isPause and io.write
  recorder = isRecorded and { print = rawget(G, "print"), write = write } or nil
  local shared <const> = isPause and shareWrite() and io.write
  for name, f in next, own do
    added[name], hidden[name] = f, rawget(G, name)
    rawset(G, name, f)
  end
  --- Puts back what scripts had, except what an entry has assigned.
  function names.uninstall()
    for name, value in next, added do
      if rawequal(rawget(G, name), value) then
        rawset(G, name, hidden[name])
      end
    end
    if rawequal(io.write, shared) then
      io.write = write
    end
    recorder, names.thread = nil, nil
    metatable.__index = before.index
    setmetatable(G, before.meta)
  end
  for name in next, G do
    names.began[name] = true
  end
  names.isShared = isShared
  if isShared and not isPause then
    share()
  end
end

--- Explains what a path of names means, or the name itself.
function names.explain(path, name)
  local complete <const> = require "luath.prompt.complete"
  local host <const> = require "luath.prompt.host"
  local known <const> = complete.explained(path)
  local what, value = complete.own(path)
  local kept <const> = #path == 1 and KEPT[path[1]]
  if kept then
    what, value = kept, rawget(G, path[1])
  elseif known or not what then
    return host.help(known or name)
  end
  local text = "there is none yet"
  if value ~= nil or not kept then
    text = require "luath.prompt.show".text(value):gsub("\n", "\n  ")
  end
  host.write(("%s: %s\n  %s\n"):format(name, what, text))
  if known then
    host.write "\n"
    host.help(known)
  end
end

return names
