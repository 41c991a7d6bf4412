--- Lesson 18: reusing a sign-in. Saves a session in a file and goes on with it elsewhere.
---
--- A journey that begins signed in does not sign in each time, and needs no password:
--- auth:save keeps a session in a file, and Auth.load goes on with it. The file holds tokens, so it
--- is the owner's alone, and one that others can read is refused. It follows the session: whenever
--- the tokens are renewed, by whichever of those who use it, they are in the file.
---
--- Usage: luath run scripts/18-session-reuse.lua [-- FILE]
---
--- Arguments: FILE is where the session is kept; when not given, a temporary file that is deleted.
---
--- Sample output:
---
---     signed in      ada@luath.example, saved
---     loaded         ada@luath.example in 3 sessions at once, no password needed
---     an hour later  1 renewal for all of them, and the file has it
---     new password   the loaded sessions go on with the new tokens
---     signed out     the file still opens the session
---     open to others refused: keychainError
---     disabled       refused: userDisabled

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local host <const> = require "luath.host"
local http <const> = require "luath.http"
local json <const> = require "luath.json"
local luath <const> = require "luath"
local task <const> = require "luath.task"

local function say(what, how)
  print(("%-14s %s"):format(what, how))
end

local file = arg[1]
if not file then
  file = os.tmpname()
end

--- What the file holds; only to show that it is up to date.
local function tokens()
  local handle <close> = assert(io.open(file))
  return json.decode(handle:read "a").tokens
end

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()

-- 1. Sign in once and save.
local auth <const> = Auth.auth()
local password <const> = crypto.random() -- made up for this run
local user <const> = auth:createUser("ada@luath.example", password).user
auth:save(file)
say("signed in", user.email .. ", saved")

-- 2. Go on elsewhere: here, in a later script, or in several at once. Auth.load returns a session
-- that the backend has just accepted.
local sessions <const> = {}
for number = 1, 3 do
  sessions[number] = Auth.load(file)
  assert(sessions[number] ~= auth, "not a session of its own")
  assert(sessions[number].currentUser.uid == user.uid, "somebody else was loaded")
end
say("loaded", ("%s in %d sessions at once, no password needed"):format(user.email, #sessions))

-- 3. Tokens last an hour. Of all who use the file, one renews, and the others take what it got.
emulator.advance(3600)
emulator.setFaults { { operation = "token", latency = 20 } }
local renewed <const> = task.all {
  function() return sessions[1].currentUser:getIDToken() end,
  function() return sessions[2].currentUser:getIDToken() end,
  function() return sessions[3].currentUser:getIDToken() end,
}
local renewals <const> = emulator.listFaults()[1].seen
emulator.setFaults {}
for _, token in ipairs(renewed) do
  assert(token == tokens().idToken, "the file has another token")
end
assert(renewals == 1, "each renewed by itself")
say("an hour later", renewals .. " renewal for all of them, and the file has it")

-- 4. A new password ends all tokens there were. The file brings the new ones to the others.
local again <const> = Auth.EmailAuthProvider.credential(user.email, password)
sessions[2].currentUser:reauthenticate(again)
emulator.advance(2)
sessions[2].currentUser:updatePassword(crypto.random())
assert(tokens().refreshToken == sessions[2].currentUser.refreshToken, "the file is behind")
sessions[1].currentUser:getIDToken(true)
sessions[1].currentUser:reload()
say("new password", "the loaded sessions go on with the new tokens")

-- 5. Signing out is of one session: the file is another matter, and yours to delete.
sessions[2]:signOut()
assert(Auth.load(file).currentUser.uid == user.uid, "the file was ended with the session")
say("signed out", "the file still opens the session")

-- 6. A file that others can read is refused, as they may have read the tokens.
assert(os.execute(("chmod 644 '%s'"):format(file)))
local nothing, open <const> = luath.try(Auth.load, file)
assert(nothing == nil and open.code == Auth.ErrorCode.keychainError, tostring(open))
assert(os.execute(("chmod 600 '%s'"):format(file)))
say("open to others", "refused: " .. open.code)

-- 7. Load asks the backend, so a session that is over is an error at once, which names the file.
local path <const> = "/identitytoolkit.googleapis.com/v1/projects/%s/accounts:update"
assert(http.post(emulator.origin .. path:format(host.projectID), {
  json = { localId = user.uid, disableUser = true },
  bearer = "owner", -- who an emulator takes for an administrator
}).ok)
local none, disabled <const> = luath.try(Auth.load, file)
assert(none == nil and disabled.code == Auth.ErrorCode.userDisabled, tostring(disabled))
assert(disabled.message:find(file, 1, true), "the error names no file")
say("disabled", "refused: " .. disabled.code)

if not arg[1] then
  os.remove(file)
end
