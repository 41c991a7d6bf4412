--- Lesson 2: sign in with Yahoo, whose scopes must match the app's permissions exactly.
---
--- Usage: luath run scripts/02-yahoo.lua
---
--- Sample output:
---
---     only mail-r      refused on Yahoo's page: webSignInUserInteractionFailure
---     mail-r, sdct-w   granted
---     signed in        Yuki Tanaka <yuki@yahoo.example>, uid 6517D1A02D31A6BBBAEE12FDD8
---     profile API      nickname Yuki, picture https://s.yimg.example/yuki.png
---     raw token        refused: invalidCredential

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local http <const> = require "luath.http"
local luath <const> = require "luath"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()

-- 1. The project file registers the app for mail-r (read mail) and sdct-w (write contacts). Asking
-- for fewer or other permissions makes Yahoo show an error page instead of a login form.
local yahoo <const> = Auth.OAuthProvider "yahoo.com"
yahoo.customParameters = { login_hint = "yuki@yahoo.example", language = "en-us" }
yahoo.scopes = { "mail-r" }
local nothing, refusal <const> = luath.try(yahoo.getCredential, yahoo)
assert(nothing == nil, "Yahoo took scopes that do not match")
print("only mail-r      refused on Yahoo's page: " .. refusal.code)
assert(refusal.message:find("invalid_scope", 1, true), "refused for another reason")

-- 2. Exactly the registered ones pass.
yahoo.scopes = { "mail-r", "sdct-w" }
local credential <const> = yahoo:getCredential()
print("mail-r, sdct-w   granted")

local result <const> = auth:signIn(credential)
local user <const> = result.user
local uid <const> = user.providerData[1].uid
print(("signed in        %s <%s>, uid %s"):format(user.displayName, user.email, uid))
assert(user.email == "yuki@yahoo.example", "another person than asked for")
assert(result.additionalUserInfo.profile.sub == uid, "the uid is what Yahoo calls sub")

-- 3. Yahoo's profile API has the person under that uid, and opens with the access token.
local address <const> = "https://social.yahooapis.com/v1/user/" .. uid .. "/profile"
local token <const> = result.credential.accessToken
local answer <const> = http.get(address, { query = { format = "json" }, bearer = token })
local profile <const> = answer:json().profile
print(("profile API      nickname %s, picture %s"):format(
  profile.nickname, profile.image.imageUrl))
assert(profile.guid == uid, "the profile is of somebody else")

-- 4. An access token alone signs nobody in: it does not name the app it was made for, so anybody
-- who got it from another app could replay it. Only the page's own code is accepted.
local raw <const> = Auth.OAuthProvider.credential("yahoo.com", nil, nil, token)
local none, replay <const> = luath.try(auth.signIn, auth, raw)
assert(none == nil, "a raw access token was accepted")
print("raw token        refused: " .. replay.code)
assert(replay.code == Auth.ErrorCode.invalidCredential, "refused for another reason")
