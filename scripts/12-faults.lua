--- Lesson 12: faults. Lets the backend fail on purpose, and shows a sign-in that gets through all
--- the same.
---
--- Usage: luath run scripts/12-faults.lua
--- From the command line: luath run --fault signUp:503=30%,latency=20ms-80ms --seed 7 FILE
---
--- Sample output:
---   quotaExceeded, again in a moment
---   networkError, again in a moment
---   signed in after 3 tries
---   a day later the session is still good
local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local task <const> = require "luath.task"

local auth = Auth.auth()

--- Errors that another try may get past; any other one is for the caller.
local passing = { quotaExceeded = true, networkError = true, tooManyRequests = true }

local function persistently(call)
  for try = 1, 5 do
    local ok, result = pcall(call)
    if ok then return result, try end
    if not (type(result) == "table" and passing[result.code]) then error(result) end
    print(result.code .. ", again in a moment")
    task.sleep(0.01 * 2 ^ try)
  end
  error("the backend did not recover")
end

-- The first answer is a refusal, the second never arrives. Only calls that read or renew are sent
-- again by luath itself: a lost sign-up may have made its account, which the script has to decide.
emulator.setFaults({
  { operation = "signUp", error = "QUOTA_EXCEEDED", count = 1 },
  { operation = "signUp", drop = true, after = 1, count = 1 },
}, 7)

local result, tries = persistently(function() return auth:signInAnonymously() end)
print(("signed in after %d tries"):format(tries))
assert(tries == 3)
assert(emulator.listFaults()[2].struck == 1)
emulator.setFaults {}

-- Tokens live for an hour of the emulator's clock, sessions go on.
emulator.advance(86400)
assert(result.user:getIDToken(true))
print "a day later the session is still good"
