--- The names that a session begins with: luath's modules and shortcuts, made when first used.
local names = {}

local getmetatable <const>, rawset <const> = debug.getmetatable, rawset
local G <const> = _G

local MODULES <const> = {
  Auth = "luath.auth", actor = "luath.actor", admin = "luath.admin", crypto = "luath.crypto",
  emulator = "luath.emulator", expect = "luath.expect", host = "luath.host", http = "luath.http",
  json = "luath.json", luath = "luath", merge = "luath.merge", oidc = "luath.oidc",
  task = "luath.task", totp = "luath.totp", ui = "luath.ui", webdriver = "luath.webdriver",
}

--- How scripts write what a name stands for.
local SOURCES <const> = {
  auth = "require(\"luath.auth\").auth()",
  provider = "require(\"luath.auth\").OAuthProvider",
}
for name, module in next, MODULES do
  SOURCES[name] = ("require %q"):format(module)
end

local MAKERS <const> = {
  auth = function()
    return require "luath.auth".auth()
  end,
  provider = function()
    return require "luath.auth".OAuthProvider
  end,
}

local function make(name)
  local module <const> = MODULES[name]
  if module then
    return require(module)
  end
  local maker <const> = MAKERS[name]
  return maker and maker()
end

--- Has the names made when they are first read.
function names.install()
  local metatable <const> = getmetatable(G) or {}
  function metatable.__index(_, name)
    local value <const> = make(name)
    if value ~= nil then
      rawset(G, name, value)
    end
    return value
  end
  setmetatable(G, metatable)
end

--- The names with what scripts write for them.
function names.list()
  return SOURCES
end

return names
