--- Lesson 7: the account merge. Somebody with a password comes back with Microsoft.
---
--- A project keeps one account per e-mail address. When a provider brings an address that an
--- account has already, the sign-in fails, and the error holds what is needed to go on: the address
--- and the pending credential. Sign in the existing way, link the pending credential, and both ways
--- lead to one account.
---
--- Usage: luath run scripts/07-merge.lua
---
--- Sample output:
---
---     The account merge
---
---       Ada has an account        ada@contoso.example, by password
---       She comes with Microsoft  refused: accountExistsWithDifferentCredential (17012)
---       How can she sign in?      by password
---       She does                  and Microsoft is linked
---       By password               to account Zl1WmcIkkmFOtIAxOTr8
---       By Microsoft              to account Zl1WmcIkkmFOtIAxOTr8
---
---     Merged: ada@contoso.example now signs in by password and by microsoft.com.

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"

local function say(what, how)
  print(("  %-26s%s"):format(what, how))
end

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()
local email <const> = "ada@contoso.example"
local password <const> = crypto.random() -- made up for this run
local microsoft <const> = Auth.OAuthProvider "microsoft.com"
microsoft.customParameters = { login_hint = email }

print("The account merge\n")

-- Older projects list the sign-in methods of an address. Lesson 8 is for the others.
emulator.configure { enumerationProtection = false }

-- 1. What happened before.
local before <const> = auth:createUser(email, password).user.uid
auth:signOut()
say("Ada has an account", email .. ", by password")

-- 2. The conflict.
local result, err <const> = luath.try(auth.signIn, auth, microsoft)
assert(result == nil, "Microsoft led to a second account")
assert(err.code == Auth.ErrorCode.accountExistsWithDifferentCredential, tostring(err))
assert(err.email == email, "the error is about another address")
say("She comes with Microsoft", ("refused: %s (%d)"):format(err.code, err.rawValue))

-- 3. Which ways are there? A program would now ask the person for the password.
local ways <const> = auth:fetchProviders(err.email)
say("How can she sign in?", "by " .. table.concat(ways, ", "))
assert(ways:contains(Auth.EmailAuthProvider.id), "the password is missing")

-- 4. The merge: the existing way first, so that nobody links anything to a stranger's account.
auth:signIn(Auth.EmailAuthProvider.credential(err.email, password))
auth.currentUser:link(err.pendingCredential)
say("She does", "and Microsoft is linked")

-- 5. Both ways lead to the account she had.
auth:signOut()
local byPassword <const> = auth:signIn({ email = email, password = password }).user
say("By password", "to account " .. byPassword.uid)
auth:signOut()
local byMicrosoft <const> = auth:signIn(microsoft).user
say("By Microsoft", "to account " .. byMicrosoft.uid)
assert(byPassword.uid == before, "the password leads to another account")
assert(byMicrosoft.uid == before, "Microsoft leads to another account")

local ids <const> = {}
for index, way in ipairs(byMicrosoft.providerData) do
  ids[index] = way.providerID
end
table.sort(ids, function(one, other) return one > other end)
assert(#ids == 2, "the account does not have two sign-in methods")
print(("\nMerged: %s now signs in by %s."):format(email, table.concat(ids, " and by ")))
