--- Lesson 5: link two providers to one account, and sign in with either.
---
--- Usage: luath run scripts/05-link.lua
---
--- Sample output:
---
---     started with   microsoft.com
---     linked         google.com, microsoft.com
---     by Microsoft   the same account
---     by Google      the same account
---     Grace's Yahoo  cannot be linked: credentialAlreadyInUse
---     unlinked       microsoft.com is left

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()

--- A provider, with the person its page is for.
local function provider(id, email)
  local made = Auth.OAuthProvider(id)
  made.customParameters = { login_hint = email }
  return made
end

--- The ids of a user's providers, in order of the alphabet.
local function ways(user)
  local ids = {}
  for index, way in ipairs(user.providerData) do
    ids[index] = way.providerID
  end
  table.sort(ids)
  return table.concat(ids, ", ")
end

local microsoft <const> = provider("microsoft.com", "ada@contoso.example")
local google <const> = provider("google.com", "ada@contoso.example")

-- 1. An account that begins with Microsoft gets Google as well.
local user <const> = auth:signIn(microsoft).user
print("started with   " .. ways(user))
user:link(google)
print("linked         " .. ways(user))
assert(ways(user) == "google.com, microsoft.com", "the link is missing")

-- 2. Whichever way Ada signs in from now on, it is the same account.
for name, way in pairs { Microsoft = microsoft, Google = google } do
  auth:signOut()
  local result <const> = auth:signIn(way)
  assert(result.user.uid == user.uid, name .. " leads to another account")
  assert(not result.additionalUserInfo.isNewUser, name .. " made another account")
end
print("by Microsoft   the same account")
print("by Google      the same account")

-- 3. A sign-in method leads to one account. Grace's Yahoo leads to hers, so Ada cannot have it.
local yahoo <const> = provider("yahoo.com", "grace@fabrikam.example")
auth:signIn(yahoo)
local ada <const> = auth:signIn(microsoft).user
local nothing, refusal <const> = luath.try(ada.link, ada, yahoo)
assert(nothing == nil, "Grace's Yahoo account was taken from her")
print(("Grace's Yahoo  cannot be linked: %s"):format(refusal.code))
assert(refusal.code == Auth.ErrorCode.credentialAlreadyInUse, "refused for another reason")

-- 4. Unlinking removes a sign-in method, and leaves the account.
local rest <const> = ada:unlink "google.com"
print("unlinked       " .. ways(rest) .. " is left")
assert(ways(rest) == "microsoft.com", "another way was taken")
