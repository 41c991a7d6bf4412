--- Lesson 8: the account merge when the project does not list sign-in methods.
---
--- With e-mail enumeration protection, as new projects have it, fetchProviders returns nothing. The
--- error itself names the providers whose owner is the same person (err.verifiedProviders); when it
--- names none, the account has a password.
---
--- Usage: luath run scripts/08-merge-protected.lua
---
--- Sample output:
---
---     Grace, who has Google, comes with Microsoft
---       fetchProviders       nothing
---       verifiedProviders    google.com
---       merged               by google.com, microsoft.com
---     Ada, who has a password, comes with Microsoft
---       fetchProviders       nothing
---       verifiedProviders    nothing, so the password is the way
---       merged               by microsoft.com, password
---     Alan, who has a password, comes with Microsoft, and luath.merge does it all
---       asked for            the password of alan@outlook.example, 2 times
---       linked               microsoft.com
---       lost                 nothing

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"
local merge <const> = require "luath.merge"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()
emulator.configure { enumerationProtection = true }

--- A provider, with the person its page is for.
local function provider(id, email)
  local made = Auth.OAuthProvider(id)
  made.customParameters = { login_hint = email }
  return made
end

local function list(ids)
  return #ids > 0 and table.concat(ids, ", ") or "nothing"
end

--- Signs in with Microsoft, and merges when the address has an account already.
---
---@param email string
---@param askForPassword function what asks the person, when nothing else is left
local function signInWithMicrosoft(email, askForPassword)
  local result, err = luath.try(auth.signIn, auth, provider("microsoft.com", email))
  if result then
    return result.user
  end
  if err.code ~= Auth.ErrorCode.accountExistsWithDifferentCredential then
    error(err)
  end
  local ways = auth:fetchProviders(err.email)
  print("  fetchProviders       " .. list(ways))
  assert(#ways == 0, "the project listed sign-in methods")

  local known = err.verifiedProviders[1]
  if known then
    print("  verifiedProviders    " .. list(err.verifiedProviders))
    auth:signIn(provider(known, err.email))
  else
    print("  verifiedProviders    nothing, so the password is the way")
    auth:signIn(Auth.EmailAuthProvider.credential(err.email, askForPassword()))
  end
  return auth.currentUser:link(err.pendingCredential).user
end

--- The ids of a user's providers, in order of the alphabet.
local function ways(user)
  local ids = {}
  for index, way in ipairs(user.providerData) do
    ids[index] = way.providerID
  end
  table.sort(ids)
  return list(ids)
end

-- 1. Google is believed about addresses, so the error may name it.
print "Grace, who has Google, comes with Microsoft"
local grace <const> = auth:signIn(provider("google.com", "grace@fabrikam.example")).user
auth:signOut()
local mergedGrace <const> = signInWithMicrosoft(grace.email, function()
  error "Grace has no password to ask for"
end)
print("  merged               by " .. ways(mergedGrace))
assert(mergedGrace.uid == grace.uid, "Microsoft leads to another account")
assert(ways(mergedGrace) == "google.com, microsoft.com", "the link is missing")

-- 2. A password does not prove who owns the address, so the error names nothing.
print "Ada, who has a password, comes with Microsoft"
local password <const> = crypto.random() -- made up for this run
local ada <const> = auth:createUser("ada@contoso.example", password).user
auth:signOut()
local mergedAda <const> = signInWithMicrosoft(ada.email, function()
  return password
end)
print("  merged               by " .. ways(mergedAda))
assert(mergedAda.uid == ada.uid, "Microsoft leads to another account")
assert(ways(mergedAda) == "microsoft.com, password", "the link is missing")

-- 3. All of this is one call: it asks for a proof, compares the addresses, links, and reports
-- the result. Without a proof nothing changes.
print "Alan, who has a password, comes with Microsoft, and luath.merge does it all"
local alan <const> = auth:createUser("alan@outlook.example", password).user
auth:signOut()
local asked = 0
local result <const> = merge.signIn(auth, provider("microsoft.com", alan.email), {
  prove = merge.password(function(conflict)
    asked = conflict.attempt
    return asked == 1 and "a slip of the pen" or password
  end),
})
print(("  asked for            the password of %s, %d times"):format(result.conflict.email, asked))
print("  linked               " .. list(result.linked))
print("  lost                 " .. list(result.lost))
assert(result.merged and result.user.uid == alan.uid, "Microsoft leads to another account")
assert(auth.currentUser.uid == alan.uid, "Alan is not signed in")
