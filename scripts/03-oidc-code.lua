--- Lesson 3: sign in with any OpenID Connect server, by the code flow.
---
--- The provider's id is oidc. and a name that the project sets. Client id, client secret and
--- issuer are in the project: this script does not see them. The server hands the browser a code,
--- and the backend exchanges it for tokens.
---
--- Usage: luath run scripts/03-oidc-code.lua
---
--- Sample output:
---
---     signed in      Barbara Liskov <barbara@corp.example>
---     with           oidc.corp, uid 27085186-c39e-407c-8671-67ee2f219540 there
---     from corp      name Barbara Liskov, address verified
---     rules see      uid Bdp8MMwgfXZttB65tt3NSq7DNDtE, signed in with oidc.corp
---     next time      the same account
---     not upgraded   refused: operationNotAllowed

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()

local corp <const> = Auth.OAuthProvider "oidc.corp"
corp.customParameters = { login_hint = "barbara@corp.example" }

-- 1. The page, the credential, the sign-in.
local result <const> = auth:signIn(corp:getCredential())
local user <const> = result.user
print(("signed in      %s <%s>"):format(user.displayName, user.email))
print(("with           %s, uid %s there"):format(
  user.providerData[1].providerID, user.providerData[1].uid))
assert(user.email == "barbara@corp.example", "another person than asked for")

-- 2. The server's data about the user, unchanged.
local profile <const> = result.additionalUserInfo.profile
print(("from corp      name %s, address %s"):format(
  profile.name, profile.email_verified and "verified" or "not verified"))
assert(profile.sub == user.providerData[1].uid, "the uid is what the server calls sub")
assert(user.isEmailVerified == profile.email_verified, "the account ignores what corp asserts")

-- 3. Security rules see the claims of the ID token: the account's uid, and how it signed in.
local token <const> = user:getIDTokenResult()
print(("rules see      uid %s, signed in with %s"):format(token.claims.sub, token.signInProvider))
assert(token.claims.sub == user.uid, "the token is of another account")
assert(token.signInProvider == "oidc.corp", "the token names another provider")

-- 4. The first sign-in made the account; the second finds it. Giving the provider itself to signIn
-- shows the page and signs in, in one step.
auth:signOut()
local again <const> = auth:signIn(corp)
assert(not again.additionalUserInfo.isNewUser, "the second sign-in made another account")
assert(again.user.uid == user.uid, "the second sign-in found another account")
print("next time      the same account")

-- 5. OIDC needs a project upgraded to Identity Platform.
emulator.configure { identityPlatform = false }
local nothing, refusal <const> = luath.try(auth.signIn, auth, corp)
emulator.configure { identityPlatform = true }
assert(nothing == nil, "OIDC works without Identity Platform")
print("not upgraded   refused: " .. refusal.code)
assert(refusal.code == Auth.ErrorCode.operationNotAllowed, "refused for another reason")
