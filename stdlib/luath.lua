--- The root of luath's library: functions for every script.
local host = require "luath.host"

local luath = {}

--- The version of luath.
luath.version = host.version

--- Calls a function; returns its results, or `nil` and the error it raised.
---
---     local result, err = luath.try(auth.signIn, auth, credential)
---
---@param f function
---@param ... any arguments of the function
---@return any result
---@return any err
function luath.try(f, ...)
  local results = table.pack(pcall(f, ...))
  if results[1] then
    return table.unpack(results, 2, results.n)
  end
  return nil, results[2]
end

--- Opens the prompt here, with the variables of this place; the script goes on when its user does.
---
---     local result = auth:signIn(microsoft)
---     luath.pause()
---
--- It needs a terminal, and works in `luath test` and `luath run` only. The time limits stand still
--- meanwhile.
function luath.pause()
  require("luath.pause").here "call"
end

--- Reads a secret from the environment; raises when it is not set.
---
---     local password = luath.secret "ADA_PASSWORD"
---
---@param name string the variable's name
---@return string
luath.secret = host.secret

return luath
