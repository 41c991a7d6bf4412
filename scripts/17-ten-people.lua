--- Lesson 17: ten people side by side, each with listeners, claims and an end of their own.
---
--- Each Auth is a session: what happens in one is not seen in another. Listeners report a session's
--- changes: onAuthStateChanged who is signed in, onIDTokenChanged besides that each new token. They
--- run between the script's waits, one call at a time, and end with stop() or with their session.
---
--- Usage: luath run scripts/17-ten-people.lua
---
--- Sample output:
---
---     10 people signed in at once, as 10 different uids
---     claims: person 3 has the role of guest, person 10 of guest
---     after a promotion: person 3 has the role of host, person 10 of guest
---     person 4 left, person 7 deleted the account, person 9 was thrown out
---     7 people are still signed in, and their tokens are good
---     listeners had: 10 times nobody, 10 arrivals, 3 departures

local Auth <const> = require "luath.auth"
local admin <const> = require "luath.admin"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local host <const> = require "luath.host"
local http <const> = require "luath.http"
local luath <const> = require "luath"
local task <const> = require "luath.task"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local key <const> = emulator.serviceAccount()
local counts <const> = { nobody = 0, arrivals = 0, departures = 0, tokens = 0 }

--- Returns a session whose listeners count their calls.
local function session()
  local auth <const> = Auth.session()
  local was
  auth:onAuthStateChanged(function(user)
    -- A listener may wait as any task may; the next change is reported when this one has returned.
    task.sleep(0)
    local what = user and "arrivals" or was and "departures" or "nobody"
    counts[what], was = counts[what] + 1, user
  end)
  auth:onIDTokenChanged(function()
    counts.tokens = counts.tokens + 1
  end)
  return auth
end

--- Lets listeners receive what has happened.
local function settle()
  for _ = 1, 4 do
    task.sleep(0)
  end
end

-- 1. Ten sign in at once: five with passwords, five with custom tokens that carry claims.
local people, tasks = {}, {}
for person = 1, 10 do
  people[person] = session()
  tasks[person] = function()
    if person % 2 == 0 then
      local token <const> = admin.customToken(key, "guest-" .. person, { role = "guest" })
      return people[person]:signInWithCustomToken(token).user.uid
    end
    local email <const> = ("person%d@luath.example"):format(person)
    return people[person]:createUser(email, crypto.random()).user.uid
  end
end
local uids <const> = task.all(tasks)
local different, count = {}, 0
for person, uid in ipairs(uids) do
  assert(people[person].currentUser.uid == uid, "somebody sits in another's place")
  if not different[uid] then
    different[uid], count = person, count + 1
  end
end
assert(count == 10 and Auth.auth().currentUser == nil, "the sessions are not separate")
print(("%d people signed in at once, as %d different uids"):format(#people, count))

-- 2. Claims. An administrator sets those of an account; they come with the next token.
local function setRole(uid, role)
  local path <const> = "/identitytoolkit.googleapis.com/v1/projects/%s/accounts:update"
  local body <const> = { localId = uid, customAttributes = ('{"role":"%s"}'):format(role) }
  local answer <const> = http.post(emulator.origin .. path:format(host.projectID), {
    json = body,
    bearer = "owner", -- who an emulator takes for an administrator
  })
  assert(answer.ok, answer.body)
end

local function role(person, forcingRefresh)
  return people[person].currentUser:getIDTokenResult(forcingRefresh).claims.role
end

setRole(uids[3], "guest")
print(("claims: person 3 has the role of %s, person 10 of %s"):format(role(3, true), role(10)))
setRole(uids[3], "host")
assert(role(3) == "guest", "a token that was issued before changed")
settle()
local tokens <const> = counts.tokens
emulator.advance(1)
assert(role(3, true) == "host" and role(10) == "guest" and role(1) == nil, "claims are mixed up")
settle()
assert(counts.tokens == tokens + 1, "one person got a token, so one listener is called")
print(("after a promotion: person 3 has the role of %s, person 10 of %s"):format(
  role(3), role(10)))

-- 3. Three ends: signing out, deleting the account, and an administrator who disables it. The last
-- is noticed by the next call, which signs out that session and no other.
people[4]:signOut()
people[7].currentUser:delete()
local path <const> = "/identitytoolkit.googleapis.com/v1/projects/%s/accounts:update"
assert(http.post(emulator.origin .. path:format(host.projectID), {
  json = { localId = uids[9], disableUser = true },
  bearer = "owner",
}).ok)
local user <const> = people[9].currentUser
local nothing, err <const> = luath.try(user.reload, user)
assert(nothing == nil and err.code == Auth.ErrorCode.userDisabled, tostring(err))
print("person 4 left, person 7 deleted the account, person 9 was thrown out")

local left = 0
for person, auth in ipairs(people) do
  if auth.currentUser then
    left = left + 1
    assert(auth.currentUser.uid == uids[person], "somebody became somebody else")
    auth.currentUser:getIDToken(true)
  end
end
assert(left == 7, "somebody was signed out with another")
print(("%d people are still signed in, and their tokens are good"):format(left))

settle()
assert(counts.nobody == 10 and counts.arrivals == 10 and counts.departures == 3,
  "a change was missed")
print(("listeners had: %d times nobody, %d arrivals, %d departures"):format(
  counts.nobody, counts.arrivals, counts.departures))
