--- Lesson 16: the anonymous upgrade. A visitor looks around first and signs in later.
---
--- An anonymous account needs nothing, and all data of its uid is the visitor's. Linking a
--- sign-in method keeps that uid. If the identity has an account of its own already, the link is
--- refused, and the pending credential signs in there: then the visitor's things must be brought
--- over, and the anonymous account goes.
---
--- Usage: luath run scripts/16-anonymous-upgrade.lua
---
--- Sample output:
---
---     a visitor       puts tea and sugar into the basket, without a name
---     looks again     and is who they were
---     signs in        as yuki@yahoo.example, with the same uid and basket
---     another visitor puts coffee into another basket
---     signs in        refused: credentialAlreadyInUse, Yuki has an account
---     goes on         as Yuki, whose basket holds coffee, sugar and tea
---     left behind     no anonymous account

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"

local function say(what, how)
  print(("%-15s %s"):format(what, how))
end

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()
local yahoo <const> = Auth.OAuthProvider "yahoo.com"
yahoo.customParameters = { login_hint = "yuki@yahoo.example" }

-- What a database would hold, by uid.
local baskets <const> = {}

local function put(uid, ...)
  baskets[uid] = baskets[uid] or {}
  for _, thing in ipairs { ... } do
    table.insert(baskets[uid], thing)
  end
  table.sort(baskets[uid])
end

-- 1. The visitor. Signing in anonymously again makes no second account.
local visitor <const> = auth:signInAnonymously().user
local uid <const> = visitor.uid
put(uid, "tea", "sugar")
assert(visitor.isAnonymous, "the visitor has a sign-in method")
say("a visitor", "puts tea and sugar into the basket, without a name")
assert(auth:signInAnonymously().user == visitor, "a second account was made")
say("looks again", "and is who they were")

-- 2. The upgrade: the same user, who now can sign in again.
visitor:link(yahoo)
assert(visitor.uid == uid and auth.currentUser == visitor, "the link changed who is signed in")
assert(not visitor.isAnonymous, "still anonymous")
assert(#baskets[uid] == 2, "the basket is another one")
say("signs in", ("as %s, with the same uid and basket"):format(visitor.email))
auth:signOut()

-- 3. The same person elsewhere, not signed in yet.
local stranger <const> = auth:signInAnonymously().user
put(stranger.uid, "coffee")
assert(stranger.uid ~= uid, "the uid of an account was given again")
say("another visitor", "puts coffee into another basket")

-- 4. The identity has its account. Nothing has changed so far: the visitor still is anonymous.
local linked, err <const> = luath.try(stranger.link, stranger, yahoo)
assert(linked == nil, "one identity leads to two accounts")
assert(err.code == Auth.ErrorCode.credentialAlreadyInUse, tostring(err))
assert(auth.currentUser == stranger and stranger.isAnonymous, "a refused link changed something")
say("signs in", ("refused: %s, Yuki has an account"):format(err.code))

-- 5. Sign in there with the pending credential (the first one is spent), bring things over, and
-- delete the anonymous account. Its object still works, although somebody else is current.
local yuki <const> = auth:signIn(err.pendingCredential).user
assert(yuki.uid == uid, "the pending credential leads elsewhere")
put(yuki.uid, table.unpack(baskets[stranger.uid]))
baskets[stranger.uid] = nil
stranger:delete()
assert(auth.currentUser == yuki, "deleting the other account signed Yuki out")
local basket <const> = table.concat(baskets[uid], ", "):gsub(", (%a+)$", " and %1")
assert(basket == "coffee, sugar and tea", basket)
say("goes on", "as Yuki, whose basket holds " .. basket)

-- 6. Nobody is left whom nobody can sign in to.
local gone, refusal <const> = luath.try(stranger.reload, stranger)
assert(gone == nil and refusal.code == Auth.ErrorCode.userNotFound, tostring(refusal))
assert(next(baskets) == uid and next(baskets, uid) == nil, "a basket belongs to nobody")
say("left behind", "no anonymous account")
