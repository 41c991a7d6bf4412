local luath = require "luath"
local Auth = require "luath.auth"
local auth = Auth.auth()

--- The version of luath.
---
---@return string
luath.version = ""

---@async
---@param f function what to call
---@param ... any its arguments
---@return any result its results, or nil when it raised
---@return AuthError|any err what it raised
function luath.try(f, ...)
  local result, err = luath.try(auth.signInWithEmail, auth, "ada@contoso.example", "wrong")
  print(result, err.code)
end

---@param name string the variable's name
---@return string value
---@error missingSecret when the variable is not set, or empty
function luath.secret(name)
  local password = luath.try(luath.secret, "ADA_PASSWORD") or "correct horse"
  print(#password > 0)
end
