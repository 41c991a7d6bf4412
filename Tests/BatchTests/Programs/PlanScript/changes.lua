local batch = require "luath.batch"
local admin = require("luath.admin").admin()
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local http = require "luath.http"
return batch.define { plan = function(row, accounts)
  if row.n == 1 then admin:updateUser("a", { displayName = "x" }) end
  if row.n == 2 then admin:deleteUsers { "a" } end
  if row.n == 3 then Auth.auth():signInAnonymously() end
  if row.n == 4 then emulator.advance(60) end
  if row.n == 5 then http.post(emulator.origin .. "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=x", { json = {} }) end
  local port = emulator.origin:match(":(%d+)$")
  local function post(origin, path)
    http.post(origin .. ":" .. port .. path .. "?key=x", { json = {} })
  end
  if row.n == 6 then post("http://localhost", "/identitytoolkit.googleapis.com/v1/accounts:signUp") end
  if row.n == 7 then post("http://[::1]", "/emulator/v1/projects/p/accounts") end
  if row.n == 8 then post("http://0.0.0.0", "/identitytoolkit.googleapis.com/v1/accounts:signUp") end
  if row.n == 9 then post("http://a.example", "/%69dentitytoolkit.googleapis.com/v1/accounts%3AsignUp") end
  if row.n == 10 then http.get(emulator.origin .. "/emulator/action?mode=verifyEmail&oobCode=c") end
  return nil, admin:getUser("a").email
end }
