--- Verifies the tokens of a file, and writes what came of each.
---
--- Usage: luath run verify.lua -- FILE
---
--- The file is a JSON list of tables with `name`, `kind` (idToken or cookie), `token` and `tenant`.

local Admin <const> = require "luath.admin"
local json <const> = require "luath.json"
local luath <const> = require "luath"

local file <close> = assert(io.open(arg[1]))
local results <const> = json.object {}
local project <const> = Admin.admin()

for _, case in ipairs(json.decode(file:read "a")) do
  local admin <const> = case.tenant and project:authForTenant(case.tenant) or project
  local verify <const> = case.kind == "cookie" and admin.verifySessionCookie or admin.verifyIDToken
  local claims, err <const> = luath.try(verify, admin, case.token)
  if claims then
    results[case.name] = { uid = claims.uid, plan = claims.plan }
  else
    -- Words as short as some of these are found anywhere.
    local isShown <const> = #case.token > 20 and tostring(err):find(case.token, 1, true)
    assert(not isShown, "the error shows the token")
    results[case.name] = { code = err.code, message = err.message, hint = err.hint }
  end
end

print(json.encode(results))
