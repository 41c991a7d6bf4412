--- Lesson 11: many people at once, each signed in on their own.
---
--- Auth.auth() is always the same one, with one current user, as in an app. Auth.session() is a new
--- one every time. Calls that wait let other tasks go on, so all sign in side by side, in one
--- script and in straight lines.
---
--- Usage: luath run scripts/11-many-people.lua [-- HOW-MANY]
---
--- Arguments: HOW-MANY accounts with a password are made beside the others; 8 when not given.
---
--- Sample output:
---
---     ada@contoso.example      microsoft.com
---     grace@fabrikam.example   microsoft.com
---     yuki@yahoo.example       yahoo.com
---     barbara@corp.example     google.com
---     and 8 more with a password, all signed in at the same time as 12 different people

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"
local task <const> = require "luath.task"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local count <const> = math.tointeger(tonumber(arg[1] or 8))
assert(count and count >= 0, "HOW-MANY is a number of people, such as 8")

--- Returns a function that signs a user in at a provider, in a new session.
local function byProvider(id, email)
  return function()
    local session = Auth.session()
    -- The second argument is the page's session: each session shows one page at a time.
    local provider = Auth.OAuthProvider(id, session)
    provider.customParameters = { login_hint = email }
    session:signIn(provider)
    return session
  end
end

local tasks <const> = {
  byProvider("microsoft.com", "ada@contoso.example"),
  byProvider("microsoft.com", "grace@fabrikam.example"),
  byProvider("yahoo.com", "yuki@yahoo.example"),
  byProvider("google.com", "barbara@corp.example"),
}
local named <const> = #tasks
for number = 1, count do
  tasks[#tasks + 1] = function()
    local session = Auth.session()
    session:createUser(("guest%d@luath.example"):format(number), crypto.random())
    return session
  end
end

-- Runs all of them at once and waits for the last. The first error would end the others.
local sessions <const> = task.all(tasks)

local uids, people = {}, 0
for index, session in ipairs(sessions) do
  local user = session.currentUser
  if index <= named then
    print(("%-24s %s"):format(user.email, user.providerData[1].providerID))
  end
  assert(not uids[user.uid], "two sessions are signed in as the same person")
  uids[user.uid] = true
  people = people + 1
end
assert(people == named + count, "somebody is missing")
assert(Auth.auth().currentUser == nil, "the sessions are not separate from the default one")
print(("and %d more with a password, all signed in at the same time as %d different people"):format(
  count, people))

-- Signing one out leaves the others signed in.
sessions[1]:signOut()
assert(sessions[1].currentUser == nil, "signOut did nothing")
local token <const> = luath.try(sessions[2].currentUser.getIDToken, sessions[2].currentUser, true)
assert(token, "a session ended with another")
