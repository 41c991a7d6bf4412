--- Lesson 28: your app's own server, and a blocking function, both started by the script.
---
--- The server is a program: it ends with the script, whatever happens. It finds the emulator by the
--- variables that luath sets for it. The blocking function is a handler in the script itself, which
--- the emulator calls before it creates an account.
---
--- Usage: luath run scripts/28-app-server.lua
---
--- Sample output:
---
---     the server   listening, with the emulator of demo-luath
---     blocked      blockingCloudFunctionError
---     created      ada@contoso.example, a customer
---     the function was called 2 times
---     the server   ended with 143

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local host <const> = require "luath.host"
local http <const> = require "luath.http"
local luath <const> = require "luath"
local process <const> = require "luath.process"
local server <const> = require "luath.server"

emulator.clear()
local auth <const> = Auth.auth()

-- 1. A program, which would be `npm start` for an app. Its output is read line by line.
local app <close> = process.start("sh", {
  "-c", 'echo "listening, with the emulator of $GCLOUD_PROJECT"; exec sleep 60',
})
print("the server   " .. app:waitForLine "listening")

-- 2. A blocking function that lets only one domain in, and sets the name of each account.
local functions <close> = server.start()
functions:on("POST", "/beforeCreate", function(request)
  local claims <const> = require("luath.crypto").claims(request.json.data.jwt)
  if not claims.user_record.email:find "@contoso%.example$" then
    return { status = 403, json = { error = { message = "only for Contoso" } } }
  end
  return { json = { userRecord = { updateMask = "displayName", displayName = "a customer" } } }
end)

local config <const> = emulator.origin .. "/identitytoolkit.googleapis.com/v2/projects/"
  .. host.projectID .. "/config?updateMask=blockingFunctions"
assert(http.patch(config, {
  bearer = "owner",
  json = {
    blockingFunctions = {
      triggers = { beforeCreate = { functionUri = functions.url .. "/beforeCreate" } },
    },
  },
}).ok)

-- 3. Sign-ups: the function decides.
local _, err <const> = luath.try(auth.createUser, auth, "eve@evil.example", "correct horse")
print("blocked      " .. err.code)
assert(err.code == "blockingCloudFunctionError")
local user <const> = auth:createUser("ada@contoso.example", "correct horse").user
print(("created      %s, %s"):format(user.email, user.displayName))
assert(user.displayName == "a customer")
print(("the function was called %d times"):format(#functions:requests()))

-- 4. The server ends when its variable does; `stop` also returns how.
local code <const> = app:stop()
print("the server   ended with " .. code)
assert(code == 128 + 15)
